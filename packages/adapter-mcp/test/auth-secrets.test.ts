import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { memoryTokenStore } from '../src/index.ts'
import { fakeAuth, running, user } from './auth.ts'
import { start } from './host.ts'
import { healthOf } from './http.ts'

describe('authorization', () => {
  it('has tokens that are taken out of what the server says, and out of the log', async () => {
    const fake = await fakeAuth()
    const servers = {
      s: { url: fake.url, era: '2025' as const, debug: true, auth: user(memoryTokenStore()) },
    }
    const { adapter, call, host } = await start({ servers })
    onTestFinished(() => adapter.stop?.({ graceMs: 100 }))
    expect((await call('s.leak')).data).toBe('Bearer [redacted], [redacted]')
    fake.expire()
    expect((await call('s.leak')).data).toBe('Bearer [redacted], [redacted]')
    expect(JSON.stringify(host.lines)).not.toMatch(/(?:access|refresh)-\d/)
  })

  it('has tokens that are not printed either when its server repeats them', async () => {
    const printed = vi.spyOn(console, 'warn').mockReturnValue()
    onTestFinished(() => printed.mockRestore())
    const fake = await fakeAuth()
    const { call } = await running(fake, user(memoryTokenStore()))
    fake.expire()
    fake.revoke()
    expect((await call('s.echo')).data).toBe('echo {}')
    const text = printed.mock.calls.flat().map(String).join(' ')
    expect(text).toContain('[redacted] was used')
    expect(text).not.toMatch(/refresh-\d/)
  })

  it('has a client secret that is not in what the authorization server says', async () => {
    const fake = await fakeAuth({ tellsAll: true })
    const more = { clientId: 'configured', clientSecret: 'the-client-secret' }
    const adapter = await running(fake, { kind: 'client-credentials', ...more })
    const reason = String((await healthOf(adapter))?.reason)
    expect(reason).toContain('[redacted]')
    expect(reason).not.toContain('the-client-secret')
  })
})
