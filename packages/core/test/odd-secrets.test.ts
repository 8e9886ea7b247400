import { describe, expect, it } from 'vitest'

import type { Gateway } from '../src/index.ts'
import { leakyCall, leakyGateway } from './leaky.ts'

/** A gateway with one tool, which reads secrets and gives a text; `onWarn` gets what is warned of. */
function gatewayWith(
  secret: string,
  text: string,
  onWarn: (message: string, fields: unknown) => void = () => {},
  names: readonly string[] = ['KEY', 'KEY'],
): Gateway {
  return leakyGateway(
    (host) => {
      for (const name of names) host.secret(name)
      return { data: text }
    },
    {
      secrets: () => secret,
      policy: { loops: false },
      log: { debug() {}, info() {}, warn: onWarn, error() {} },
    },
  )
}

async function shown(secret: string, text: string): Promise<unknown> {
  return (await gatewayWith(secret, text).dispatch(leakyCall)).data
}

describe('a secret with white space at its ends', () => {
  it.each(['s3cr3t-value\n', ' \ts3cr3t-value\r\n', 's3cr3t-value'])(
    'is not shown without: %j',
    async (secret) => {
      expect(await shown(secret, `key ${secret.trim()}.`)).toBe('key [redacted].')
      expect(await shown(secret, `key <${secret}>`)).not.toContain('s3cr3t')
    },
  )

  it('is not shown without it in Base64', async () => {
    expect(await shown('s3cr3t-value\n', btoa('s3cr3t-value'))).toBe('[redacted]')
  })
})

describe('a secret of several lines', () => {
  const lines = ['-----BEGIN KEY-----', 'MIIEvQIBADANBgkqhkiG9w0', '-----END KEY-----']
  const codes: readonly ((text: string) => string)[] = [
    (text) => text,
    (text) => JSON.stringify(text).slice(1, -1),
    encodeURIComponent,
    (text) => Buffer.from(text).toString('hex'),
    btoa,
  ]

  it.each([
    ['\n', '\r\n'],
    ['\r\n', '\n'],
    ['\n', '\n'],
    ['\r\n', '\r\n'],
  ])('known with %j is not shown with %j', async (known, written) => {
    for (const code of codes) {
      const text = await shown(lines.join(known) + known, `key=${code(lines.join(written))}`)
      expect(text).toMatch(/^key=\[redacted\].{0,3}$/)
    }
  })
})

describe('a secret that is too short to be masked', () => {
  it.each(['1234567', '123456\n  ', ''])(
    'is shown, and the log says so by its name, once: %j',
    async (secret) => {
      const warned: unknown[] = []
      const gateway = gatewayWith(secret, `v${secret}`, (...said) => void warned.push(said))
      expect((await gateway.dispatch(leakyCall)).data).toBe(`v${secret}`)
      await gateway.dispatch(leakyCall)
      expect(warned).toEqual([['the secret KEY is too short to mask', { adapter: 'leaky' }]])
    },
  )

  it('is named also where another has the same value', async () => {
    const warned: unknown[] = []
    const gateway = gatewayWith('same', 'x', (message) => void warned.push(message), ['A', 'B'])
    await gateway.dispatch(leakyCall)
    expect(warned).toEqual([
      'the secret A is too short to mask',
      'the secret B is too short to mask',
    ])
  })

  it('is told of no other', async () => {
    const warned: unknown[] = []
    const gateway = gatewayWith('12345678', 'x', (...said) => void warned.push(said))
    await gateway.dispatch(leakyCall)
    expect(warned).toEqual([])
  })
})
