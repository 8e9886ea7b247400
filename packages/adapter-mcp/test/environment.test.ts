import process from 'node:process'

import { describe, expect, it, onTestFinished } from 'vitest'

import { withFake } from './fake.ts'
import { stubHost } from './host.ts'

/** What a server sees as its environment. */
async function variables(more: object): Promise<Record<string, string>> {
  process.env['SECRET_X'] = 'hidden'
  process.env['HTTPS_PROXY'] = 'http://proxy.test:1'
  onTestFinished(() => {
    delete process.env['SECRET_X']
    delete process.env['HTTPS_PROXY']
  })
  const running = await withFake(
    'plain',
    { env: { A: '1', B: '{env:TOKEN}' }, ...more },
    {
      host: stubHost({ TOKEN: '{env:A}' }),
    },
  )
  return JSON.parse(String((await running.call('s.env')).data)) as Record<string, string>
}

describe('the environment of a server', () => {
  it('is an allow-list and what is configured (env-inheritance)', async () => {
    const env = await variables({})
    expect(env).toMatchObject({ A: '1', HTTPS_PROXY: 'http://proxy.test:1' })
    expect(env['PATH']).toBe(process.env['PATH'])
    expect(env['SECRET_X']).toBeUndefined()
  })

  it('is everything where that is asked for', async () => {
    expect(await variables({ inheritEnv: true })).toMatchObject({ SECRET_X: 'hidden', A: '1' })
  })

  it('holds a secret once put in, and does not read it again', async () => {
    expect((await variables({}))['B']).toBe('{env:A}')
  })
})
