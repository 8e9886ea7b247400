import { describe, expect, it, onTestFinished } from 'vitest'

import type { ElicitationRequest } from '../src/index.ts'
import { fake, withFake } from './fake.ts'
import { start, until } from './host.ts'

const data = (output: { data?: unknown }): unknown => JSON.parse(String(output.data))

describe('a question to the user', () => {
  it('is cleaned, answered, and its defaults are filled in', async () => {
    const asked: ElicitationRequest[] = []
    const running = await withFake(
      'elicit',
      {},
      {
        elicitation: (request) => {
          asked.push(request)
          return { action: 'accept', content: { name: 'Ada' } }
        },
      },
    )
    expect(data(await running.call('s.ask'))).toMatchObject({
      result: { action: 'accept', content: { name: 'Ada', loud: true } },
    })
    expect(asked[0]).toMatchObject({ server: 's', mode: 'form', message: 'Your name?' })
  })

  it.each(['decline', 'cancel'] as const)('keeps %s apart', async (action) => {
    const running = await withFake('elicit', {}, { elicitation: () => ({ action }) })
    expect(data(await running.call('s.ask'))).toMatchObject({ result: { action } })
  })

  it('with an answer that does not fit the form is not accepted', async () => {
    const running = await withFake(
      'elicit',
      {},
      { elicitation: () => ({ action: 'accept', content: { name: 7 } }) },
    )
    expect(data(await running.call('s.ask'))).toMatchObject({ result: { action: 'cancel' } })
  })

  it('is refused at once where there is no user (no-ui-fails-closed)', async () => {
    const running = await withFake('elicit')
    expect(data(await running.call('s.ask'))).toMatchObject({ error: { code: -32_601 } })
  })

  it('stops the clock of the call until it is answered (elicit-timeout)', async () => {
    const running = await withFake(
      'elicit',
      { timeoutMs: 300 },
      {
        elicitation: () =>
          new Promise((resolve) => {
            setTimeout(() => resolve({ action: 'decline' }), 700)
          }),
      },
    )
    expect(data(await running.call('s.ask'))).toMatchObject({ result: { action: 'decline' } })
  })

  it('that nobody answers ends at its own limit', async () => {
    const running = await withFake(
      'elicit',
      { humanTimeoutMs: 200 },
      { elicitation: ({ signal }) => aborted(signal) },
    )
    await expect(running.call('s.ask')).rejects.toMatchObject({
      code: 'timeout',
      rule: 'human-timeout',
    })
  })

  it('that its handler never gives up holds no later call', async () => {
    const running = await withFake(
      'elicit',
      { humanTimeoutMs: 200 },
      { elicitation: () => new Promise(() => undefined) },
    )
    await expect(running.call('s.ask')).rejects.toMatchObject({ rule: 'human-timeout' })
    expect((await running.call('s.echo')).data).toBe('echo')
    await expect(
      running.call('s.hang', {}, { signal: AbortSignal.timeout(300) }),
    ).rejects.toMatchObject({ code: 'cancelled' })
  })

  it('leaves a call that came later the whole of its own limit', async () => {
    let asked = false
    const running = await withFake(
      'elicit',
      { tools: { hang: { humanTimeoutMs: 400 } } },
      {
        elicitation: ({ signal }) => {
          asked = true
          return aborted(signal)
        },
      },
    )
    const stop = new AbortController()
    const asking = running.call('s.ask', {}, { signal: stop.signal }).catch(() => undefined)
    await until(() => asked)
    const open = performance.now()
    await until(() => performance.now() - open > 500)
    const before = performance.now()
    await expect(running.call('s.hang')).rejects.toMatchObject({ rule: 'human-timeout' })
    expect(performance.now() - before).toBeGreaterThan(300)
    stop.abort()
    await asking
  })

  it('is taken back when the call is stopped or the server dies (elicit-orphan)', async () => {
    const signals: AbortSignal[] = []
    const running = await withFake(
      'elicit',
      {},
      {
        elicitation: ({ signal }) => {
          signals.push(signal)
          return aborted(signal)
        },
      },
    )
    const stop = new AbortController()
    const call = running.call('s.ask', {}, { signal: stop.signal })
    await until(() => signals.length === 1)
    stop.abort()
    await expect(call).rejects.toMatchObject({ code: 'cancelled' })
    expect(signals[0]?.aborted).toBe(true)
    await running.call('s.ask-and-die').catch(() => undefined)
    await until(() => signals[1]?.aborted === true)
  })

  it.each([
    ['https://example.test/login', 'accept'],
    ['http://localhost:3000/', 'accept'],
    ['http://example.test/', 'decline'],
    ['javascript:alert(1)', 'decline'],
    ['file:///etc/passwd', 'decline'],
    ['https://good.test@evil.test/', 'decline'],
  ])('to open %s is answered with %s (auth-url-scheme)', async (url, action) => {
    const shown: (string | undefined)[] = []
    const running = await withFake(
      'elicit',
      {},
      {
        elicitation: (request) => {
          shown.push(request.url)
          return { action: 'accept' }
        },
      },
    )
    expect(data(await running.call('s.ask-url', { url }))).toMatchObject({ result: { action } })
    expect(shown).toEqual(action === 'accept' ? [url] : [])
  })
})

describe('other questions of a server', () => {
  it('about folders are answered from the options', async () => {
    const roots = [{ uri: 'file:///srv/a', name: 'alpha' }]
    const running = await withFake('elicit', {}, { roots })
    expect(data(await running.call('s.roots'))).toMatchObject({ result: { roots } })
  })

  it('for a completion go to the handler, within a budget (sampling-flood)', async () => {
    const running = await withFake(
      'elicit',
      {},
      {
        sampling: () => ({
          model: 'm',
          role: 'assistant',
          content: { type: 'text', text: 'hello' },
        }),
      },
    )
    expect(data(await running.call('s.sample'))).toMatchObject({
      result: { content: { text: 'hello' } },
    })
    for (let round = 1; round < 30; round += 1) await running.call('s.sample')
    expect(data(await running.call('s.sample'))).toMatchObject({
      error: { message: 'Too many completions were asked for.' },
    })
  })
})

describe('folders that change', () => {
  it('are told to the server, which gets the new ones', async () => {
    const running = await withFake('elicit', {}, { roots: [{ uri: 'file:///srv/a' }] })
    const roots = [{ uri: 'file:///srv/b' }]
    await running.access.setRoots(roots)
    expect(data(await running.call('s.roots'))).toMatchObject({ result: { roots } })
    const seen = JSON.parse(String((await running.call('s.seen')).data)) as {
      method?: string
      params?: { capabilities?: object }
    }[]
    expect(seen.map(({ method }) => method)).toContain('notifications/roots/list_changed')
    expect(seen[0]?.params?.capabilities).toEqual({ roots: { listChanged: true } })
  })

  it('cannot, where there were none', async () => {
    const running = await withFake('elicit')
    await expect(running.access.setRoots([])).rejects.toMatchObject({ rule: 'mcp-roots' })
  })
})

describe('the budget for completions', () => {
  const asked: Record<string, unknown>[] = []
  const sampling = ({ params }: { params: Record<string, unknown> }) => {
    asked.push(params)
    return { model: 'm', role: 'assistant', content: { type: 'text', text: 'hello' } }
  }
  const error = (message: string) => ({ error: { message } })
  const tooMany = error('Too many completions were asked for.')

  it('cuts a request down to the tokens of one answer, and ends with those of a minute (sampling-flood)', async () => {
    const samplingLimits = { maxTokens: 100, tokensPerMinute: 250 }
    const running = await withFake('sampler', {}, { sampling, samplingLimits })
    const sample = async (maxTokens: number) => data(await running.call('s.sample', { maxTokens }))
    await sample(1_000_000)
    expect(asked.at(-1)).toMatchObject({ maxTokens: 100 })
    await sample(100)
    expect(await sample(100)).toMatchObject(tooMany)
    expect(await sample(50)).toMatchObject({ result: { content: { text: 'hello' } } })
  })

  it('is each server’s own (sampling-flood)', async () => {
    const { adapter, call } = await start({
      servers: { a: fake('sampler'), b: fake('sampler') },
      sampling,
      samplingLimits: { perMinute: 1 },
    })
    onTestFinished(() => adapter.stop?.({ graceMs: 100 }))
    await call('a.sample')
    expect(data(await call('a.sample'))).toMatchObject(tooMany)
    expect(data(await call('b.sample'))).toMatchObject({ result: { model: 'm' } })
  })

  it('has nothing for requests with tools, which were not offered', async () => {
    const running = await withFake('sampler', {}, { sampling })
    const before = asked.length
    const tools = [{ name: 't', inputSchema: { type: 'object' } }]
    expect(data(await running.call('s.sample', { tools }))).toMatchObject({
      error: { code: -32_602 },
    })
    expect(asked.length).toBe(before)
  })
})

function aborted(signal: AbortSignal): Promise<{ action: 'cancel' }> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ action: 'cancel' }), { once: true })
  })
}
