import { describe, expect, it } from 'vitest'

import { withFake } from './fake.ts'
import { stubHost, until } from './host.ts'
import { alive } from './processes.ts'

const mebibyte = 1024 * 1024

describe('the output of a server', () => {
  it.each(['glued', 'glued-result-first', 'bom', 'crlf', 'noise'])(
    'gives up its message whatever stands around it: %s (noise-without-newline)',
    async (tool) => {
      const running = await withFake('glued-noise')
      expect((await running.call(`s.${tool}`)).data).toBe('found')
    },
  )

  it('gives up each message of a line that has several (noise-without-newline)', async () => {
    const host = stubHost()
    const running = await withFake('glued-noise', { timeoutMs: 5000, debug: true }, { host })
    expect((await running.call('s.glued-messages')).data).toBe('found')
    const said = host.lines.map(({ message }) => message)
    expect(said).toContain('mcp: the server logs')
    expect(said).toContain('mcp: dropped what belongs to no request')
    expect(said).not.toContain('mcp: the server writes something else than messages to its output')
  })

  it('may come in pieces that cut through characters', async () => {
    const running = await withFake('glued-noise')
    expect((await running.call('s.pieces')).data).toBe('zerstückelt 世界')
  })

  it('shows its first lines of noise in the log, and no more', async () => {
    const host = stubHost()
    const running = await withFake('glued-noise', {}, { host })
    await running.call('s.noise')
    await running.call('s.noise')
    const noise = host.lines.filter((line) => line.message.includes('something else than messages'))
    expect(noise.map((line) => line.fields['line'])).toEqual([
      'Listening on 3000',
      '{"level":"info"}',
      '[]',
    ])
  })

  it('costs time in proportion to its size (buffer-quadratic)', async () => {
    const running = await withFake('big')
    // In processor time of this process: other work on the machine does not count.
    const timed = async (bytes: number): Promise<number> => {
      const before = process.cpuUsage()
      const { data } = await running.call('s.big', { bytes })
      expect(String(data).length).toBe(bytes)
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1000
    }
    const size = (process.env['CI'] === undefined ? 8 : 24) * mebibyte
    await timed(size)
    const once = Math.min(await timed(size), await timed(size))
    const twice = Math.min(await timed(2 * size), await timed(2 * size))
    expect(twice).toBeLessThan(Math.max(3 * once, 500))
  })

  it('takes the event loop for 50 ms at a time at most, however large it is (buffer-quadratic)', async () => {
    const running = await withFake('big')
    const bytes = (process.env['CI'] === undefined ? 16 : 48) * mebibyte
    // By the processor time of this thread: other work on the machine does not count.
    const longestTurn = async (): Promise<number> => {
      let longest = 0
      let before = process.threadCpuUsage()
      let going = true
      const turn = (): void => {
        const { user, system } = process.threadCpuUsage(before)
        longest = Math.max(longest, (user + system) / 1000)
        before = process.threadCpuUsage()
        if (going) setImmediate(turn)
      }
      turn()
      await running.call('s.big', { bytes: bytes - 1000 })
      going = false
      return longest
    }
    const rounds = [await longestTurn(), await longestTurn(), await longestTurn()]
    expect(Math.min(...rounds)).toBeLessThan(50)
  })

  it('that is large loses what hides in it like any other (hidden-unicode)', async () => {
    const running = await withFake('big')
    const { data } = await running.call('s.big-and-dirty', { count: mebibyte })
    expect(data).toBe(`${'ab '.repeat(mebibyte)}end`)
  })

  it('that is large is given on whole though the server ends right behind it', async () => {
    const running = await withFake('big')
    const { data } = await running.call('s.big-and-exit', { bytes: 6 * mebibyte })
    expect(String(data).length).toBe(6 * mebibyte)
  })

  it('above the limit fails the call it answers and no other (huge-result-context)', async () => {
    const running = await withFake('big', { maxMessageBytes: mebibyte })
    await expect(running.call('s.big', { bytes: 2 * mebibyte })).rejects.toMatchObject({
      code: 'backend_error',
      rule: 'result-too-large',
      started: 'yes',
    })
    expect((await running.call('s.echo', { text: 'still there' })).data).toBe('still there')
  })

  it('that is a line without an end is not read on, and its server ended', async () => {
    const running = await withFake('endless', { maxMessageBytes: mebibyte })
    const pid = Number((await running.call('s.pid')).data)
    await expect(running.call('s.flood')).rejects.toMatchObject({
      code: 'outcome_unknown',
      message: expect.stringContaining('the server wrote a line without an end') as string,
    })
    await until(() => !alive(pid))
  })

  it('may hold what looks like another message behind noise (noise-without-newline)', async () => {
    const running = await withFake('odd-lines')
    expect((await running.call('s.glued-nested')).data).toEqual({
      jsonrpc: '2.0',
      id: 7,
      result: {},
    })
  })

  it.each(['id-inside', 'id-last'])(
    'above the limit fails its own call and no other, wherever its id stands: %s',
    async (tool) => {
      const running = await withFake('odd-lines', { maxMessageBytes: mebibyte, timeoutMs: 5000 })
      const neighbour = running.call('s.hang', {}, { signal: AbortSignal.timeout(1000) })
      neighbour.catch(() => undefined)
      await expect(running.call(`s.${tool}`)).rejects.toMatchObject({ rule: 'result-too-large' })
      await expect(neighbour).rejects.toMatchObject({ code: 'cancelled' })
    },
  )

  it('may give a numeric id back as text (late-or-duplicate-response)', async () => {
    const running = await withFake('odd-ids')
    expect((await running.call('s.text-id')).data).toBe('by text')
  })

  it('may answer twice: the first counts (late-or-duplicate-response)', async () => {
    const host = stubHost()
    const running = await withFake('odd-ids', { debug: true }, { host })
    expect((await running.call('s.twice')).data).toBe('first')
    expect((await running.call('s.echo')).data).toBe('echo')
    expect(host.lines.filter((line) => line.message.includes('no request'))).toHaveLength(1)
  })

  it('may answer after the caller has gone, and nobody minds (late-or-duplicate-response)', async () => {
    const running = await withFake('odd-ids')
    const stop = new AbortController()
    const late = running.call('s.late', {}, { signal: stop.signal })
    stop.abort()
    await expect(late).rejects.toMatchObject({ code: 'cancelled' })
    expect((await running.call('s.late')).data).toBe('late')
  })
})
