import { describe, expect, it } from 'vitest'

import { withFake } from './fake.ts'
import { type Progress, until } from './host.ts'

describe('a call', () => {
  it('gives its text as data and content', async () => {
    const running = await withFake('plain')
    expect(await running.call('s.echo', { text: 'hi' })).toEqual({
      data: 'hi',
      content: [{ type: 'text', text: 'hi' }],
    })
  })

  it('that the tool says has failed is a result with isError', async () => {
    const running = await withFake('plain')
    expect(await running.call('s.fail')).toMatchObject({ isError: true, data: 'it failed' })
  })

  it('lives as long as the server shows progress (no-progress-token)', async () => {
    const running = await withFake('progress', { timeoutMs: 300 })
    const seen: Progress[] = []
    const { data } = await running.call(
      's.work',
      {},
      { progress: (progress) => seen.push(progress) },
    )
    expect(data).toBe('worked')
    expect(seen[2]).toEqual({ fraction: 0.5, note: 'step 3' })
  })

  it('ends at its total limit, progress or not, and tells the server (progress-forever)', async () => {
    const running = await withFake('progress', { timeoutMs: 300, totalTimeoutMs: 600 })
    await expect(running.call('s.forever')).rejects.toMatchObject({
      code: 'timeout',
      rule: 'total-timeout',
      started: 'unknown',
    })
    await until(async () =>
      String((await running.call('s.seen')).data).includes('notifications/cancelled'),
    )
  })

  it('ends at its idle limit without an answer', async () => {
    const running = await withFake('plain', { timeoutMs: 200 })
    await expect(running.call('s.hang')).rejects.toMatchObject({
      code: 'timeout',
      rule: 'idle-timeout',
      started: 'unknown',
    })
  })

  it('that is stopped ends at once, and the reason stays here (abort-reason-leak)', async () => {
    const running = await withFake('plain')
    const stop = new AbortController()
    const call = running.call('s.hang', {}, { signal: stop.signal })
    await until(async () => String((await running.call('s.seen')).data).includes('hang'))
    const ended = call.catch((error: unknown) => error)
    stop.abort(new Error('secret-reason'))
    // Before anything could come from the server, which does not answer anyway.
    const nextTurn = new Promise((resolve) => {
      setImmediate(resolve)
    })
    expect(await Promise.race([ended, nextTurn])).toMatchObject({
      code: 'cancelled',
      started: 'unknown',
    })
    const seen = String((await running.call('s.seen')).data)
    expect(seen).toContain('notifications/cancelled')
    expect(seen).not.toContain('secret-reason')
  })

  it('that is stopped leaves its neighbours alone (cancel-kills-server)', async () => {
    const running = await withFake('progress')
    const stop = new AbortController()
    const stopped = running.call('s.forever', {}, { signal: stop.signal })
    const other = running.call('s.work')
    stop.abort()
    await expect(stopped).rejects.toMatchObject({ code: 'cancelled' })
    expect((await other).data).toBe('worked')
    expect((await running.call('s.echo')).data).toBe('echo')
  })

  it('stopped before it is sent has not started', async () => {
    const running = await withFake('plain')
    await expect(running.call('s.echo', {}, { signal: AbortSignal.abort() })).rejects.toMatchObject(
      { code: 'cancelled', started: 'no' },
    )
  })

  it.each([[[]], ['x'], [1]])(
    'with %j as arguments is refused here (non-object-arguments)',
    async (args) => {
      const running = await withFake('plain')
      await expect(running.call('s.args', args)).rejects.toMatchObject({
        code: 'invalid_arguments',
        started: 'no',
      })
    },
  )

  it.each([[null], [undefined], ['']])(
    'with %j as arguments is sent with none (non-object-arguments)',
    async (args) => {
      const running = await withFake('plain')
      expect((await running.call('s.args', args)).data).toBe('{}')
    },
  )

  it('answered with a JSON-RPC error about its parameters has not run', async () => {
    const running = await withFake('rpc-errors')
    await expect(running.call('s.invalid')).rejects.toMatchObject({
      code: 'invalid_arguments',
      started: 'no',
      backend: { code: -32_602, data: { a: 1 } },
    })
  })

  it('answered with another JSON-RPC error may have run', async () => {
    const running = await withFake('rpc-errors')
    await expect(running.call('s.internal')).rejects.toMatchObject({
      code: 'backend_error',
      started: 'unknown',
      message: 'MCP server "s": boom',
    })
  })

  it('shows a cleaned and capped error text (error-text-injection)', async () => {
    const running = await withFake('hidden')
    const error = (await running.call('s.emoji').catch((thrown: unknown) => thrown)) as Error
    expect(error.message).toContain('Reads a file.')
    expect(error.message.length).toBeLessThan(5000)
  })

  it('of a server that is not configured is refused with its name', async () => {
    const running = await withFake('plain')
    await expect(async () => running.call('other.echo')).rejects.toMatchObject({
      rule: 'mcp-server',
    })
  })
})
