import { describe, expect, it, onTestFinished, vi } from 'vitest'

import type { ElicitationHandler, HttpServer } from '../src/index.ts'
import { modern, type Mode, result, startFakeHttp, stream, text } from './fixtures/fake-http.ts'
import { type Running, start, until } from './host.ts'
import { connected, methodsOf, onCall } from './http.ts'

/** Asks so often, each time after a while, and then answers. */
const asking = (rounds: number, afterMs: number): Mode => {
  let asked = 0
  return onCall((exchange) => {
    setTimeout(() => {
      asked += 1
      result(
        exchange,
        asked > rounds
          ? { resultType: 'complete', ...text('at last') }
          : {
              resultType: 'input_required',
              inputRequests: { q: { method: 'elicitation/create', params: { message: '?' } } },
            },
      )
    }, afterMs)
    return true
  })
}

async function running(
  mode: Mode,
  elicitation: ElicitationHandler,
  more: Partial<HttpServer>,
): Promise<Running> {
  const fake = await startFakeHttp(modern, mode)
  onTestFinished(() => fake.close())
  const made = await start({ servers: { s: { url: fake.url, ...more } }, elicitation })
  onTestFinished(() => made.adapter.stop?.({ graceMs: 100 }))
  return made
}

const slowly = (ms: number): ElicitationHandler => {
  return async () => {
    await new Promise((resolve) => {
      setTimeout(resolve, ms)
    })
    return { action: 'accept', content: {} }
  }
}

describe('a call that asks again and again', () => {
  it('ends at its total limit, counted over all its rounds', async () => {
    const limits = { timeoutMs: 400, totalTimeoutMs: 500 }
    const { call } = await running(asking(9, 200), slowly(0), limits)
    const before = performance.now()
    await expect(call('s.echo')).rejects.toMatchObject({
      rule: 'total-timeout',
      message: expect.stringContaining('not finished after 500 ms') as string,
    })
    expect(performance.now() - before).toBeLessThan(1500)
  })

  it('has the time that its answers take for itself', async () => {
    const limits = { timeoutMs: 400, totalTimeoutMs: 600 }
    const { call } = await running(asking(3, 20), slowly(300), limits)
    expect((await call('s.echo')).data).toBe('at last')
  })
})

describe('a question of one call', () => {
  it('is no matter of another, whose end does not take it back', async () => {
    const open = Promise.withResolvers<AbortSignal>()
    const answered = Promise.withResolvers<void>()
    let asked = false
    const mode = onCall((exchange) => {
      const { name } = exchange.body['params'] as { name?: string }
      if (name === 'other') {
        void open.promise.then(() => setTimeout(() => result(exchange, text('other')), 300))
        return true
      }
      const inputRequests = { q: { method: 'elicitation/create', params: { message: '?' } } }
      const first = !asked
      asked = true
      return first
        ? result(exchange, { resultType: 'input_required', inputRequests })
        : result(exchange, { resultType: 'complete', ...text('asked') })
    })
    const { call } = await running(
      mode,
      async ({ signal }) => {
        open.resolve(signal)
        await answered.promise
        return { action: 'accept', content: {} }
      },
      { tools: { other: { humanTimeoutMs: 100 } } },
    )
    const other = call('s.other')
    const answer = call('s.asking')
    const signal = await open.promise
    expect((await other).data).toBe('other')
    expect(signal.aborted).toBe(false)
    answered.resolve()
    expect((await answer).data).toBe('asked')
  })
})

describe('a call that became a task', () => {
  it('has the time that its answers take for itself (tasks-required)', async () => {
    let answered = false
    const state = { taskId: 't', pollIntervalMs: 50, ttlMs: null }
    const asks = { q: { method: 'elicitation/create', params: { message: '?' } } }
    const task: Mode = (exchange) => {
      const { method } = exchange.body as { method?: string }
      const complete = { resultType: 'complete' }
      if (method === 'tools/call') {
        return result(exchange, { resultType: 'task', status: 'working', ...state })
      }
      if (method === 'tasks/update') {
        answered = true
        return result(exchange, complete)
      }
      if (method !== 'tasks/get') return undefined
      const now = answered
        ? { status: 'completed', result: text('done') }
        : { status: 'input_required', inputRequests: asks }
      return result(exchange, { ...complete, ...state, ...now })
    }
    const limits = { timeoutMs: 300, totalTimeoutMs: 500 }
    const { call } = await running(task, slowly(800), limits)
    expect((await call('s.echo')).data).toBe('done')
  })
})

describe('a reply of a server without sessions', () => {
  it('that broke off is not asked for again: there is nothing to go on with', async () => {
    const { call, fake } = await connected([
      onCall((exchange) => {
        stream(exchange)(undefined, { id: 'a', retry: 20 })
        exchange.response.end()
        return true
      }),
      modern,
    ])
    await expect(call('s.echo')).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect(fake.recorded.some(({ method }) => method === 'GET')).toBe(false)
  })
})

describe('what was found out of the era of a server', () => {
  it('holds for an hour', async () => {
    const { call, fake } = await connected([])
    const asked = () => methodsOf(fake).filter((method) => method === 'server/discover').length
    const renew = async (): Promise<void> => {
      fake.sessions.clear()
      await until(async () => (await call('s.echo').catch(() => undefined)) !== undefined)
    }
    await renew()
    expect(asked()).toBe(1)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61 * 60_000 })
    onTestFinished(() => void vi.useRealTimers())
    await renew()
    expect(asked()).toBe(2)
  })
})
