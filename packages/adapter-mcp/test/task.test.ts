import { describe, expect, it, onTestFinished } from 'vitest'

import { withFake } from './fake.ts'
import {
  type Exchange,
  json,
  type Mode,
  modern,
  refuse,
  result,
  startFakeHttp,
  stream,
  text,
} from './fixtures/fake-http.ts'
import { callOf, contextOf, type Running, start, until } from './host.ts'

async function research({ adapter, host, tools }: Running, signal?: AbortSignal) {
  const [tool] = await tools()
  const notes: (string | undefined)[] = []
  const output = await adapter.invoke(callOf(tool!, {}), {
    ...contextOf(host),
    ...(signal === undefined ? {} : { signal }),
    progress: ({ note }) => notes.push(note),
  })
  return { output, notes }
}

describe('a tool of revision 2025-11-25 that runs only as a task (tasks-required)', () => {
  it('is polled, may ask the user, and gives its result as any tool', async () => {
    const running = await withFake(
      'task',
      {},
      { elicitation: () => ({ action: 'accept', content: {} }) },
    )
    const { output, notes } = await research(running)
    expect(output.data).toBe('{"action":"accept","content":{}}')
    expect(notes).toEqual(['poll 0', 'poll 1', 'poll 2'])
  })

  it('is cancelled at the server when the caller stops', async () => {
    const running = await withFake('task', {}, { file: 'endless' })
    const stop = new AbortController()
    const ended = research(running, stop.signal).catch((error: unknown) => error)
    await until(async () => String((await running.call('s.seen')).data).includes('tasks/get'))
    stop.abort()
    expect(await ended).toMatchObject({ code: 'cancelled', started: 'unknown' })
    await until(async () => (await running.call('s.status')).data === 'cancelled')
  })

  it('ends at the total limit of its server', async () => {
    const running = await withFake(
      'task',
      { timeoutMs: 200, totalTimeoutMs: 300 },
      { file: 'endless' },
    )
    expect(await research(running).catch((error: unknown) => error)).toMatchObject({
      code: 'timeout',
      rule: 'total-timeout',
    })
  })
})

describe('such a task at a server that is too slow for its limits', () => {
  it('is cancelled there', async () => {
    const slow: Mode = (exchange) => {
      const { method } = exchange.body
      if (method === 'tasks/cancel') return result(exchange, {})
      if (method === 'tasks/get') return true
      return method === 'tools/call'
        ? result(exchange, { task: { taskId: 't', status: 'working', pollInterval: 50 } })
        : undefined
    }
    const fake = await startFakeHttp(slow)
    onTestFinished(() => fake.close())
    fake.tools = [{ name: 'research', execution: { taskSupport: 'required' } }]
    const running = await start({
      servers: { s: { url: fake.url, era: '2025', timeoutMs: 200 } },
    })
    onTestFinished(() => running.adapter.stop?.({ graceMs: 100 }))
    await expect(research(running)).rejects.toMatchObject({ code: 'timeout' })
    await until(() => fake.recorded.some(({ body }) => body['method'] === 'tasks/cancel'))
  })
})

describe('such a task whose server refuses to tell how it stands', () => {
  it.each([
    ['has too many requests', (exchange: Exchange) => refuse(exchange, 429)],
    ['does not know it', (exchange: Exchange) => unknownTask(exchange)],
  ])('since it %s may have had its effect', async (_why, refusal) => {
    const mode: Mode = (exchange) => {
      const { method } = exchange.body
      if (method === 'tasks/get') return refusal(exchange)
      return method === 'tools/call'
        ? result(exchange, { task: { taskId: 't', status: 'working', pollInterval: 50 } })
        : undefined
    }
    const fake = await startFakeHttp(mode)
    onTestFinished(() => fake.close())
    fake.tools = [{ name: 'research', execution: { taskSupport: 'required' } }]
    const running = await start({ servers: { s: { url: fake.url, era: '2025' } } })
    onTestFinished(() => running.adapter.stop?.({ graceMs: 100 }))
    await expect(research(running)).rejects.toMatchObject({
      code: 'outcome_unknown',
      started: 'unknown',
    })
  })

  it('of revision 2026-07-28 may have had its effect', async () => {
    const mode: Mode = (exchange) => {
      const { method } = exchange.body
      if (method === 'tasks/get') return refuse(exchange, 429)
      return method === 'tools/call'
        ? result(exchange, {
            resultType: 'task',
            taskId: 't',
            status: 'working',
            pollIntervalMs: 50,
          })
        : undefined
    }
    const fake = await startFakeHttp(modern, mode)
    onTestFinished(() => fake.close())
    const running = await start({ servers: { s: { url: fake.url } } })
    onTestFinished(() => running.adapter.stop?.({ graceMs: 100 }))
    await expect(running.call('s.echo')).rejects.toMatchObject({
      code: 'outcome_unknown',
      started: 'unknown',
    })
  })
})

function unknownTask(exchange: Exchange): true {
  const { id } = exchange.body
  return json(exchange, { jsonrpc: '2.0', id, error: { code: -32_602, message: 'Task not found' } })
}

describe('such a task at a server whose session is made anew meanwhile', () => {
  it('has the whole of its time, whatever humans took before', async () => {
    let answered: (() => void) | undefined
    let lost = false
    let begun = 0
    const ofTask: Mode = (exchange) => {
      if (exchange.body['method'] === 'tasks/result') {
        setTimeout(() => result(exchange, text('done')), 100)
        return true
      }
      if (!lost) {
        lost = true
        return refuse(exchange, 404)
      }
      const status = performance.now() - begun > 700 ? 'completed' : 'working'
      return result(exchange, { taskId: 't', status, pollInterval: 50 })
    }
    const mode: Mode = (exchange) => {
      const { method, params } = exchange.body as { method?: string; params?: { task?: object } }
      if (method === undefined && exchange.method === 'POST') {
        answered?.()
        return refuse(exchange, 202)
      }
      if (method === 'tools/call' && params?.task === undefined) {
        const send = stream(exchange)
        answered = () => {
          send({ jsonrpc: '2.0', id: exchange.body['id'], result: text('asked') })
          exchange.response.end()
        }
        const question = { message: '?', requestedSchema: { type: 'object', properties: {} } }
        send({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: question })
        return true
      }
      if (method === 'tools/call') {
        begun = performance.now()
        return result(exchange, { task: { taskId: 't', status: 'working', pollInterval: 50 } })
      }
      return method?.startsWith('tasks/') === true ? ofTask(exchange) : undefined
    }
    const fake = await startFakeHttp(mode)
    onTestFinished(() => fake.close())
    fake.tools = [{ name: 'research', execution: { taskSupport: 'required' } }, { name: 'ask' }]
    const running = await start({
      servers: { s: { url: fake.url, era: '2025', timeoutMs: 1000, totalTimeoutMs: 1500 } },
      elicitation: async () => {
        await new Promise((resolve) => {
          setTimeout(resolve, 1200)
        })
        return { action: 'decline' }
      },
    })
    onTestFinished(() => running.adapter.stop?.({ graceMs: 100 }))
    expect((await running.call('s.ask')).data).toBe('asked')
    expect((await research(running)).output.data).toBe('done')
  })
})

describe('a call of revision 2026-07-28 that the server turns into a task (tasks-required)', () => {
  /** A server whose tool becomes a task that asks once and then ends in the way of the tool's name. */
  async function running(): Promise<Running & { readonly seen: () => string[] }> {
    let polls = 0
    let answers: unknown
    const task: Mode = (exchange) => {
      const { method, params } = exchange.body as {
        method: string
        params: Record<string, unknown>
      }
      const state = { taskId: 't1', pollIntervalMs: 50, ttlMs: null, statusMessage: 'on it' }
      const ends: Record<string, object> = {
        done: { status: 'completed', result: text(JSON.stringify(answers)) },
        bad: { status: 'failed', error: { code: -32_603, message: 'broke' } },
        endless: { status: 'working' },
      }
      if (method === 'tools/call') {
        name = String(params['name'])
        return result(exchange, { resultType: 'task', status: 'working', ...state })
      }
      if (method === 'tasks/update') {
        answers = params['inputResponses']
        return result(exchange, { resultType: 'complete' })
      }
      if (method === 'tasks/cancel') return result(exchange, { resultType: 'complete' })
      if (method !== 'tasks/get') return undefined
      polls += 1
      const asks = {
        status: 'input_required',
        inputRequests: { q: { method: 'elicitation/create', params: { message: 'Go on?' } } },
      }
      const now = answers === undefined && polls > 1 ? asks : { status: 'working' }
      return result(exchange, {
        resultType: 'complete',
        ...state,
        ...(answers === undefined && name !== 'endless' ? now : ends[name]),
      })
    }
    let name = ''
    const fake = await startFakeHttp(modern, task)
    onTestFinished(() => fake.close())
    const made = await start({
      servers: { s: { url: fake.url } },
      elicitation: () => ({ action: 'accept', content: {} }),
    })
    onTestFinished(() => made.adapter.stop?.({ graceMs: 100 }))
    const seen = (): string[] => fake.recorded.map(({ body }) => String(body['method']))
    return { ...made, seen }
  }

  it('is followed to its result, with its questions answered', async () => {
    const { call, seen } = await running()
    const notes: unknown[] = []
    const { data } = await call('s.done', {}, { progress: ({ note }) => notes.push(note) })
    expect(data).toBe('{"q":{"action":"accept","content":{}}}')
    expect(seen().filter((method) => method === 'tasks/update')).toHaveLength(1)
    expect(notes).toContain('on it')
  })

  it('fails as the task fails', async () => {
    const { call } = await running()
    await expect(call('s.bad')).rejects.toMatchObject({ backend: { code: -32_603 } })
  })

  it('is cancelled at the server when the caller stops', async () => {
    const { call, seen } = await running()
    const stop = new AbortController()
    const ended = call('s.endless', {}, { signal: stop.signal }).catch((error: unknown) => error)
    await until(() => seen().includes('tasks/get'))
    stop.abort()
    expect(await ended).toMatchObject({ code: 'cancelled', started: 'unknown' })
    await until(() => seen().includes('tasks/cancel'))
  })
})
