import { describe, expect, it } from 'vitest'

import { withFake } from './fake.ts'
import { stubHost, until } from './host.ts'

describe('a server that writes much to stderr', () => {
  it('is not blocked by it (stderr-backpressure)', async () => {
    const running = await withFake('stderr')
    expect((await running.call('s.loud')).data).toBe('still here')
  })
})

describe('the log of a server', () => {
  it.each([
    ['error', 'warn'],
    ['info', 'debug'],
  ])('goes on with %s as %s, cleaned', async (level, as) => {
    const host = stubHost()
    const running = await withFake('logs', {}, { host })
    await running.call('s.log', { level })
    const [line] = host.lines.filter(({ message }) => message === 'mcp: the server logs')
    expect(line).toEqual({
      level: as,
      message: 'mcp: the server logs',
      fields: { server: 's', line: 'disk full' },
    })
  })
})

describe('a log with debug', () => {
  it('holds every message, secrets left out', async () => {
    const host = stubHost({ TOKEN: 'an-open-"secret"' })
    const env = { TOKEN: '{env:TOKEN}' }
    const running = await withFake('plain', { debug: true, env }, { host })
    const { data } = await running.call('s.env')
    expect(String(data)).toContain('an-open-')
    const frames = host.lines.filter(({ message }) => /^mcp: (?:sent|received)$/.test(message))
    expect(frames.length).toBeGreaterThan(3)
    expect(JSON.stringify(frames)).not.toContain('an-open-')
    expect(JSON.stringify(frames)).toContain('[redacted]')
  })

  it('holds every line of the output that is no message', async () => {
    const host = stubHost()
    const running = await withFake('glued-noise', { debug: true }, { host })
    await running.call('s.noise')
    await running.call('s.noise')
    expect(host.lines.filter(({ message }) => message === 'mcp: stdout')).toHaveLength(8)
  })

  it('holds lines of stderr, so many a second, and how many are left out (stderr-backpressure)', async () => {
    const host = stubHost()
    const running = await withFake('chatty', { debug: true }, { host })
    const chat = async (): Promise<void> => void (await running.call('s.chat'))
    const lines = () => host.lines.filter(({ message }) => message === 'mcp: stderr')
    await chat()
    expect(lines()).toHaveLength(100)
    const leftOut = () => host.lines.find(({ message }) => message.includes('were left out'))
    await until(async () => {
      await chat()
      return leftOut() !== undefined
    })
    expect(leftOut()?.fields['lines']).toBeGreaterThan(400)
  })
})
