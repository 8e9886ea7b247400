import { describe, expect, it } from 'vitest'

import {
  CallgateError,
  defineAdapter,
  errorCodes,
  InvalidToolError,
  isBoundAdapter,
  ToolError,
  toolFaults,
  type AdapterHost,
} from '../src/index.ts'

const host: AdapterHost = {
  log: { debug() {}, info() {}, warn() {}, error() {} },
  validator: () => () => [],
  secret: () => '',
  toolsChanged() {},
}

describe('faults of a tool', () => {
  const tool = { namespace: 'local', name: 'x' }

  it('are noted one by one and told at once, what is no fault is thrown on', () => {
    const faults = toolFaults(tool)
    faults.end()
    expect(faults.attempt(() => 7)).toBe(7)
    expect(faults.attempt(() => faults.refuse('one', 'a is wrong.', 'Mend a.'))).toBe(undefined)
    const error = errorOf(() => faults.end())
    expect(error).toMatchObject({
      rule: 'one',
      where: 'local::x',
      message: 'Tool "local::x": a is wrong.',
      hint: 'Mend a.',
      faults: [{ rule: 'one', message: 'a is wrong.', hint: 'Mend a.' }],
    })
    faults.attempt(() => faults.refuse('two', 'b is wrong.', 'Mend b.'))
    expect(faults.count).toBe(2)
    expect(errorOf(() => faults.end()).message).toBe(
      'Tool "local::x" has 2 faults:\n  one: a is wrong. Mend a.\n  two: b is wrong. Mend b.',
    )
    expect(() => faults.attempt(() => JSON.parse('{'))).toThrow(SyntaxError)
  })

  it('are not among the facts of an error that has none', () => {
    expect(Object.keys(new InvalidToolError({ message: 'x' }))).not.toContain('faults')
  })
})

function errorOf(run: () => void): InvalidToolError {
  try {
    run()
  } catch (error) {
    if (error instanceof InvalidToolError) return error
  }
  throw new Error('It threw no such error.')
}

describe('the error table', () => {
  it('gives every code a number, a status, retryability and a meaning', () => {
    for (const entry of Object.values(errorCodes)) {
      expect(entry.status).toBeGreaterThanOrEqual(202)
      expect(['error', 'denied', 'cancelled', 'pending']).toContain(entry.result)
      expect(entry.meaning).toMatch(/^[A-Z].*\.$/)
    }
  })

  it('says which refusals are decisions and which are faults', () => {
    const denied = Object.entries(errorCodes).filter(([, { result }]) => result === 'denied')
    expect(denied.map(([code]) => code).toSorted()).toEqual([
      'approval_denied',
      'approval_expired',
      'definition_changed',
      'guard_refused',
      'hook_blocked',
      'hook_failed',
      'permission_denied',
      'repeated_failure',
    ])
  })
})

describe('errors', () => {
  it('are recognised by brand, so that one of another copy of the package counts', () => {
    const error = new ToolError({ code: 'timeout', message: 'late', started: 'unknown' })
    const twin = Object.defineProperty(new Error('x'), Symbol.for('callgate.tool-error.v1'), {
      value: true,
    })
    expect(ToolError.isInstance(error)).toBe(true)
    expect(ToolError.isInstance(twin)).toBe(true)
    expect(ToolError.isInstance(new Error('x'))).toBe(false)
    expect(CallgateError.isInstance(error)).toBe(false)
  })
})

describe('defineAdapter', () => {
  const make = defineAdapter<{ readonly root: string }>({
    contract: 1,
    name: 'files',
    capabilities: {},
    configSchema: { type: 'object' },
    create: (options) => ({ invoke: async () => ({ data: options }) }),
  })

  it('binds options under the name of the definition, or under one of their own', async () => {
    expect(make({ root: '/a' }).name).toBe('files')
    const bound = make({ root: '/a', name: 'more_files' })
    expect(bound.name).toBe('more_files')
    expect(isBoundAdapter(bound)).toBe(true)
    const output = await bound.create(host).invoke({} as never, {} as never)
    expect(output.data).toEqual({ root: '/a' })
  })

  it('refuses a name that cannot stand in an id, and a contract it does not know', () => {
    expect(() => make({ root: '/a', name: 'a::b' })).toThrow(/cannot name an adapter/)
    expect(() =>
      defineAdapter({
        contract: 2 as 1,
        name: 'x',
        capabilities: {},
        configSchema: true,
        create: () => ({ invoke: async () => ({}) }),
      }),
    ).toThrow(/contract 2/)
  })

  it.each([
    [
      { capabilites: {} },
      'Adapter "x": there is the unknown field "capabilites" in its definition.',
    ],
    [{ create: undefined }, 'Adapter "x": there is no function "create" in its definition.'],
  ])('refuses a definition with %j', (fields, message) => {
    const definition = {
      contract: 1 as const,
      name: 'x',
      capabilities: {},
      configSchema: true,
      create: () => ({ invoke: async () => ({}) }),
    }
    const expected = expect.objectContaining({ rule: 'adapter-definition', message })
    expect(() => defineAdapter({ ...definition, ...fields } as never)).toThrow(expected as Error)
  })

  it('refuses options that do not fit its schema, naming the option', () => {
    const strict: AdapterHost = {
      ...host,
      validator: () => () => [
        { path: '/root', constraint: 'type', got: 'a number', expected: 'text' },
      ],
    }
    expect(() => make({ root: '/a' }).create(strict)).toThrow(
      /option \/root is a number; expected text/,
    )
  })
})
