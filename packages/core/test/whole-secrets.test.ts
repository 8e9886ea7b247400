import { createHookBus } from '@callgate/hooks'
import { ToolError, type AdapterOutput, type CallgateEvents } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { memoryAudit } from '../src/index.ts'
import { leakyCall, leakyGateway } from './leaky.ts'
import { gatewayOf, tool } from './tools.ts'

const secret = 'S3CR3T-abcdefghijklmnopqrstuvwxyz'
/** The secret stands where a message is cut. */
const long = `${'x'.repeat(380)}${secret}`

async function messageOf(output: () => AdapterOutput): Promise<string | undefined> {
  const hooks = createHookBus<CallgateEvents>()
  hooks.on('tool_execution', ({ next }) => next())
  const gateway = leakyGateway(
    (host) => {
      host.secret('KEY')
      return output()
    },
    { secrets: () => secret, hooks },
  )
  return (await gateway.dispatch(leakyCall)).error?.message
}

describe('a secret at the place where a message is cut', () => {
  it('is not shown in part where a tool throws', async () => {
    const message = await messageOf(() => {
      throw new ToolError({ code: 'backend_error', message: long, started: 'no' })
    })
    expect(message).toContain('[redacted]')
    expect(message).not.toContain('S3CR3T')
  })

  it('is not shown in part where a tool says that it failed', async () => {
    const content = [{ type: 'text', text: long }] as const
    const message = await messageOf(() => ({ isError: true, content }))
    expect(message).toContain('[redacted]')
    expect(message).not.toContain('S3CR3T')
  })
})

async function audited(args: object): Promise<string> {
  const audit = memoryAudit()
  const gateway = gatewayOf([tool('a', () => 1)], { ports: { audit } })
  await gateway.dispatch({ name: 'a', arguments: args })
  return JSON.stringify(audit.entries())
}

describe('the audit', () => {
  it.each([
    'Authorization: Basic dXNlcjpOSURERU4=',
    'Authorization: token HIDDEN',
    '{"password": "a HIDDEN word"}',
    String.raw`{\"password\": \"HIDDEN\"}`,
    "password='a HIDDEN word'",
    'cookie: theme=x; session=HIDDEN',
    'https://h.example/?token=HIDDEN',
  ])('has nothing of the secret in the text %s', async (text) => {
    expect(await audited({ text })).not.toMatch(/HIDDEN|dXNlcjpOSURERU4/)
  })

  it.each(['authToken', 'dbPassword', 'secretKey', 'appSecret', 'db_password'])(
    'has no value of the field %s',
    async (name) => {
      expect(await audited({ [name]: 'HIDDEN' })).not.toContain('HIDDEN')
    },
  )

  it('masks fields at every depth', async () => {
    let args: object = { password: 'HIDDEN' }
    for (let depth = 0; depth < 120; depth++) args = { inner: args }
    expect(await audited(args)).not.toContain('HIDDEN')
  })

  it('keeps what stands beside a secret', async () => {
    expect(await audited({ text: '{"password":"x y","user":"bob"}' })).toContain('bob')
  })
})
