import { describe, expect, it } from 'vitest'

import { leakyCall, leakyGateway } from './leaky.ts'

/** What a model sees of a text in which a secret stands. */
async function shown(secret: string, text: string): Promise<unknown> {
  const gateway = leakyGateway(
    (host) => {
      host.secret('KEY')
      return { data: text }
    },
    { secrets: () => secret, policy: { resultCapBytes: 64 * 1024 * 1024 } },
  )
  const { data, error } = await gateway.dispatch(leakyCall)
  return error ?? data
}

const inner = (text: string): string => JSON.stringify(text).slice(1, -1)
const numbers = (separator: string, count: number): string =>
  Array.from({ length: count }, (_, at) => String(at).padStart(4, '0')).join(separator)

/** Each longer than the expression that the runtime takes for it. */
const secrets: readonly (readonly [of: string, secret: string])[] = [
  ['letters and digits', numbers('x', 14_000)],
  ['lines', numbers('\n', 2000)],
  ['characters of four bytes', numbers('😀', 2000)],
  ['one character alone', '-'.repeat(10_000)],
  ['what is escaped alone', '&%'.repeat(5000)],
]

describe.each(secrets)('a very long secret of %s', (_, secret) => {
  it.each<[string, (text: string) => string]>([
    ['as it is', (text) => text],
    ['in a URL', encodeURIComponent],
    ['in JSON in JSON', (text) => inner(inner(text))],
    ['in Base64', (text) => Buffer.from(text).toString('base64')],
  ])('is not shown %s', async (_form, form) => {
    expect(await shown(secret, `zz${form(secret)}.`)).toMatch(/^zz\[redacted\].{0,4}$/)
  })
})

it.each(secrets.slice(0, 3))(
  'a text that only begins like one of %s is shown',
  async (_, secret) => {
    const other = `${secret.slice(0, -5)}, and so on`
    expect(await shown(secret, other)).toBe(other)
  },
)

it('a secret that begins like the text before it is found behind it', async () => {
  const secret = `${'ab-'.repeat(1000)}end`
  expect(await shown(secret, `ab-ab-${inner(secret)}`)).toBe('ab-ab-[redacted]')
  expect(await shown(secret, `ab-${encodeURIComponent(secret)}`)).toBe('ab-[redacted]')
})
