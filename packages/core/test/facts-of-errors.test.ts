import {
  defineAdapter,
  ToolError,
  type AdapterInstance,
  type ToolErrorInit,
  type ToolResult,
} from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { gatewayOf, refusal, tool } from './tools.ts'

const declared = {
  namespace: 'own',
  name: 't',
  description: 'd',
  parameters: true,
  backend: { adapter: 'own' },
} as const

async function thrownByAdapter(
  init: object,
): Promise<{ result: ToolResult; logged: readonly unknown[] }> {
  const invoke: AdapterInstance['invoke'] = async () => {
    throw new ToolError({ message: 'secret text', started: 'no', ...init } as ToolErrorInit)
  }
  const adapter = defineAdapter<object>({
    contract: 1,
    name: 'own',
    capabilities: { isolation: 'none' },
    configSchema: { type: 'object' },
    create: () => ({ invoke }),
  })({})
  const logged: unknown[] = []
  const note = (...parts: unknown[]): void => void logged.push(...parts)
  const gateway = gatewayOf([declared], {
    adapters: [adapter],
    log: { debug() {}, info() {}, warn() {}, error: note },
  })
  return { result: await gateway.dispatch({ name: 'own__t', arguments: {} }), logged }
}

const misfits: readonly (readonly [facts: object, reason: string])[] = [
  [{ code: 'approval_required' }, 'only the gateway may give the code approval_required'],
  [{ code: 'hook_blocked' }, 'only the gateway may give the code hook_blocked'],
  [{ code: 'repeated_failure' }, 'only the gateway may give the code repeated_failure'],
  [{ code: 'nonsense' }, 'there is no code nonsense'],
  [{ code: 'timeout', started: 'maybe' }, 'started is maybe; expected no, yes or unknown'],
  [{ code: 'timeout', started: undefined }, 'started is undefined; expected no, yes or unknown'],
  [{ code: 'rate_limited', retryAfterMs: 'soon' }, 'its retryAfterMs are no milliseconds'],
]

describe('an error of an adapter', () => {
  it.each(misfits)(
    'is a fault of the adapter where its facts do not fit: %j',
    async (facts, reason) => {
      const { result, logged } = await thrownByAdapter(facts)
      expect(result).toMatchObject({
        status: 'error',
        error: { code: 'internal' },
        metadata: { outcome: 'unknown' },
      })
      expect(result.error?.message).not.toContain('secret text')
      expect(logged).toContainEqual(expect.objectContaining({ reason }))
    },
  )

  it('is told as it is where they fit', async () => {
    const { result } = await thrownByAdapter({ code: 'permission_denied' })
    expect(result.error).toMatchObject({ code: 'permission_denied', message: 'secret text' })
  })

  it.each([
    ['it broke', 'it broke.'],
    ['It broke.', 'It broke.'],
    ['Broken?', 'Broken?'],
  ])('stands before that the outcome is not known, %j as %j', async (message, said) => {
    const { result } = await thrownByAdapter({ code: 'backend_error', started: 'unknown', message })
    expect(result.error?.message).toBe(`${said} The call may have had its effect; nobody knows.`)
  })
})

describe('an error of a function', () => {
  it('with a code that only the gateway may give is a failure of the tool, with its text', async () => {
    const gateway = gatewayOf([
      tool('t', () => {
        throw new ToolError({ code: 'approval_required', message: 'ask me', started: 'no' })
      }),
    ])
    const { error, status } = await gateway.dispatch({ name: 't', arguments: {} })
    expect({ status, code: error?.code, message: error?.message }).toEqual({
      status: 'error',
      code: 'tool_failed',
      message: 'ask me',
    })
  })
})

describe('a declared tool that is to be run by a function', () => {
  it('is refused: it has none', () => {
    expect(
      refusal(() => gatewayOf([{ ...declared, backend: { adapter: 'function' } }])),
    ).toMatchObject({ rule: 'tool-backend', where: 'own::t' })
  })
})
