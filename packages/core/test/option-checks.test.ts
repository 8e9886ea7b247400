import { defineAdapter, InvalidOptionsError, type CallgateError } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createGateway } from '../src/index.ts'
import { gatewayOf, refusal, tool } from './tools.ts'

const refusalOf = (options: unknown): CallgateError | undefined =>
  refusal(() => createGateway(options as never))

const sentence = /\w+ .*\.$/

const policies: readonly [policy: unknown, where: string, hint?: RegExp][] = [
  [5, ''],
  [null, ''],
  [[], ''],
  [{ rolez: {} }, '/rolez', /Did you mean "roles"\?/],
  [{ timeoutMS: 5 }, '/timeoutMS', /Did you mean "timeoutMs"\?/],
  [{ timeoutMs: '5' }, '/timeoutMs', /Write 5 without quotes\./],
  [{ timeoutMs: 0 }, '/timeoutMs'],
  [{ timeoutMs: Infinity }, '/timeoutMs'],
  [{ approvalTimeoutMs: NaN }, '/approvalTimeoutMs'],
  [{ resultCapBytes: 0 }, '/resultCapBytes'],
  [{ resultCapTokens: '1' }, '/resultCapTokens'],
  [{ turnConcurrency: 0.5 }, '/turnConcurrency'],
  [{ maxCallsPerTurn: -1 }, '/maxCallsPerTurn'],
  [{ directUnderTokens: 'x' }, '/directUnderTokens'],
  [{ listingTokens: 0 }, '/listingTokens'],
  [{ contextTokens: null }, '/contextTokens'],
  [{ roles: 5 }, '/roles'],
  [{ roles: { admin: ['*'] } }, '/roles/admin'],
  [{ roles: { admin: {} } }, '/roles/admin/tagsAllow'],
  [{ roles: { admin: { tagsAllow: '*' } } }, '/roles/admin/tagsAllow'],
  [{ roles: { 'a/b': { tagsAlow: [] } } }, '/roles/a~1b/tagsAlow', /"tagsAllow"/],
  [{ risk: 5 }, '/risk'],
  [{ limits: 5 }, '/limits'],
  [{ limits: { perMinute: 'x' } }, '/limits/perMinute'],
  [{ limits: { perMinutes: 5 } }, '/limits/perMinutes', /"perMinute"/],
  [{ limits: { burst: 0 } }, '/limits/burst'],
  [{ adapterConcurrency: { function: 0 } }, '/adapterConcurrency/function'],
  [{ adapterConcurrency: { fucntion: 1 } }, '/adapterConcurrency/fucntion', /"function"/],
  [{ adapterConcurrency: 1 }, '/adapterConcurrency'],
  [{ pinned: 5 }, '/pinned'],
  [{ pinned: { 'a::b': 5 } }, '/pinned/a::b'],
  [{ pinDiscovered: 'true' }, '/pinDiscovered', /Write true without quotes\./],
]

const others: readonly [options: unknown, where: string, hint?: RegExp][] = [
  [null, ''],
  [5, ''],
  [[], ''],
  [() => ({}), ''],
  [{ polices: {} }, '/polices', /Did you mean "policy"\?/],
  [{ tools: {} }, '/tools'],
  [{ adapters: 'cli' }, '/adapters'],
  [{ adapters: [null] }, '/adapters/0'],
  [{ adapters: [() => ({})] }, '/adapters/0'],
  [{ hooks: 5 }, '/hooks'],
  [{ hooks: { on: () => {} } }, '/hooks/declare'],
  [{ ports: 5 }, '/ports'],
  [{ ports: { clocks: {} } }, '/ports/clocks', /"clock"/],
  [{ ports: { clock: { now: 5 } } }, '/ports/clock/now'],
  [{ ports: { approvals: {} } }, '/ports/approvals/put'],
  [{ secrets: { KEY: 'x' } }, '/secrets'],
  [{ log: () => {} }, '/log'],
  [{ log: { debug() {}, info() {}, warn() {} } }, '/log/error'],
  [{ approver: true }, '/approver'],
  [{ ticketKey: 5 }, '/ticketKey'],
  [{ ticketKey: '' }, '/ticketKey'],
]

describe('options that do not fit', () => {
  const all: typeof others = [
    ...others,
    ...policies.map(([policy, where, hint = sentence]): (typeof others)[number] => [
      { policy },
      `/policy${where}`,
      hint,
    ]),
  ]

  it.each(all)('are refused at set-up: %j', (options, where, hint = sentence) => {
    const error = refusalOf(options)
    expect(error).toBeInstanceOf(InvalidOptionsError)
    expect(error).toMatchObject({ rule: 'gateway-options', where })
    expect(error?.message).toMatch(/^createGateway: \S+ is .*; expected .*\.$/)
    expect(error?.hint).toMatch(hint)
  })

  it('are said to be what they are', () => {
    expect(refusalOf(null)?.message).toBe('createGateway: options is null; expected an object.')
    expect(refusalOf({ policy: { timeoutMs: -1 } })?.message).toContain('policy.timeoutMs is -1')
  })

  it('are not shown where they may be secret', () => {
    const shown = [refusalOf({ secrets: 'hunter2' }), refusalOf({ log: 'hunter2' })]
    expect(shown.map((error) => error?.message).join()).not.toContain('hunter2')
  })
})

describe('an option of an adapter that does not fit', () => {
  it.each([
    [{ rot: '/srv' }, 'Did you mean "root"?'],
    [{}, 'Give "root".'],
    [{ root: {} }, 'Correct this option of the adapter.'],
  ])('is refused with a sentence that says what to do: %j', (given, hint) => {
    const adapter = defineAdapter<object>({
      contract: 1,
      name: 'own',
      capabilities: {},
      configSchema: {
        type: 'object',
        properties: { root: { type: 'string' } },
        required: 'root' in given || !('rot' in given) ? ['root'] : [],
        additionalProperties: false,
      },
      create: () => ({ invoke: () => Promise.resolve({}) }),
    })
    expect(refusalOf({ adapters: [adapter(given)] })).toMatchObject({
      rule: 'adapter-options',
      hint,
    })
  })
})

describe('an adapter that cannot be called', () => {
  it.each([[undefined], [{}], [Promise.resolve({ invoke: () => ({}) })]])(
    'is refused at set-up: %o',
    (instance) => {
      const adapter = defineAdapter<object>({
        contract: 1,
        name: 'own',
        capabilities: {},
        configSchema: true,
        create: () => instance as never,
      })
      expect(refusalOf({ adapters: [adapter({})] })).toMatchObject({
        rule: 'adapter-instance',
        message: 'What the adapter "own" creates has no function "invoke".',
      })
    },
  )
})

describe('options that fit', () => {
  it('are all optional', async () => {
    const gateway = createGateway()
    gateway.registry.add(tool('t', () => 'ran'))
    expect((await gateway.dispatch({ name: 't', arguments: {} })).data).toBe('ran')
    expect(createGateway({ policy: {}, ports: {} }).registry.list()).toEqual([])
  })

  it('may be undefined, objects of classes, and limits for an adapter that is there', () => {
    class Log {
      readonly lines: string[] = []
      debug(): void {}
      info(): void {}
      warn(): void {}
      error(): void {}
    }
    const adapter = defineAdapter<object>({
      contract: 1,
      name: 'own',
      capabilities: {},
      configSchema: {},
      create: () => ({ invoke: () => Promise.resolve({}) }),
    })({})
    const options = {
      log: new Log(),
      adapters: [adapter],
      ticketKey: undefined,
      policy: {
        limits: undefined,
        maxCallsPerTurn: Infinity,
        adapterConcurrency: { own: 1, composite: 2 },
      },
    }
    expect(refusalOf(options)).toBeUndefined()
  })
})

describe('a risk function that gives no assessment', () => {
  const answers: readonly [name: string, risk: () => unknown, reason: RegExp][] = [
    ['nothing', () => undefined, /its answer is missing/],
    ['null', () => null, /its answer is null/],
    ['an empty object', () => ({}), /level is missing/],
    ['a level in capitals', () => ({ level: 'HIGH', score: 90, factors: [] }), /level is .*HIGH/],
    ['a level alone', () => ({ level: 'low' }), /score is missing/],
    [
      'a score that is no number',
      () => ({ level: 'low', score: NaN, factors: [] }),
      /score is NaN/,
    ],
    [
      'a factor that is no text',
      () => ({ level: 'low', score: 0, factors: [1] }),
      /factors\.0 is 1/,
    ],
    ['a text', () => 'low', /its answer is text/],
    [
      'a promise',
      () => Promise.resolve({ level: 'low', score: 0, factors: [] }),
      /must be synchronous/,
    ],
    ['a promise that is rejected', () => Promise.reject(new Error('no')), /must be synchronous/],
    [
      'a throw',
      () => {
        throw new Error('the score server is down')
      },
      /the score server is down/,
    ],
  ]

  function riskBy(risk: () => unknown): {
    gateway: ReturnType<typeof gatewayOf>
    logged: string[]
    ran: string[]
    asked: string[]
  } {
    const logged: string[] = []
    const ran: string[] = []
    const asked: string[] = []
    const log = {
      debug() {},
      info() {},
      warn() {},
      error: (message: string, fields?: object) =>
        void logged.push(`${message} ${JSON.stringify(fields)}`),
    }
    const gateway = gatewayOf(
      [
        tool('plain', () => ran.push('plain')),
        tool('asks', () => ran.push('asks'), { permissions: { requiresApproval: true } }),
      ],
      {
        log,
        policy: { risk: risk as never },
        approver: ({ tool: id }) => {
          asked.push(id)
          return Promise.resolve({ decision: 'approve' })
        },
      },
    )
    return { gateway, logged, ran, asked }
  }

  it.each(answers)('but %s means the highest risk', async (_, risk, reason) => {
    const { gateway, logged, ran, asked } = riskBy(risk)
    const plain = await gateway.dispatch({ name: 'plain', arguments: {} })
    expect(plain.error).toMatchObject({ code: 'permission_denied', rule: 'risk' })
    expect(plain.error?.message).not.toMatch(reason)
    expect(ran).toEqual([])
    expect((await gateway.dispatch({ name: 'asks', arguments: {} })).status).toBe('ok')
    expect(asked).toEqual(['local::asks'])
    expect(logged).toHaveLength(2)
    expect(logged[0]).toMatch(/policy\.risk .*local::plain/)
    expect(logged[0]).toMatch(reason)
    expect((await gateway.explain({ name: 'plain', arguments: {} })).decision).toBe('deny')
  })

  it('is told from one that does', async () => {
    const { gateway, logged, ran } = riskBy(() => ({ level: 'low', score: 0, factors: ['fine'] }))
    await gateway.dispatch({ name: 'plain', arguments: {} })
    expect(ran).toEqual(['plain'])
    expect(logged).toEqual([])
  })
})
