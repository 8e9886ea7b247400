import { describe, expect, it } from 'vitest'

import type { ElicitationRequest } from '../src/index.ts'
import { withFake } from './fake.ts'
import { until } from './host.ts'

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

function aborted(signal: AbortSignal): Promise<{ action: 'cancel' }> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ action: 'cancel' }), { once: true })
  })
}
