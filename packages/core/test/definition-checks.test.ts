import { InvalidToolError } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createGateway, type FunctionTool } from '../src/index.ts'
import { gatewayOf, refusal, tool } from './tools.ts'

const retry = { maxRetries: 1, backoff: 'fixed', initialDelayMs: 10 } as const
const health = { intervalMs: 1000, timeoutMs: 100, unhealthyThreshold: 2 }

/** What is given, where the fault stands, and what the hint says of it. */
const faults: readonly [given: object, where: string, hint?: RegExp][] = [
  [{ confirm: 'true' }, '/confirm', /Write true without quotes\./],
  [{ confirm: 'yes' }, '/confirm'],
  [{ confirm: 1 }, '/confirm'],
  [{ confirm: null }, '/confirm'],
  [{ confrim: true }, '/confrim', /Did you mean "confirm"\?/],
  [{ confirmMessage: 5 }, '/confirmMessage', /Write 5 in quotes\./],
  [{ permissions: 'x' }, '/permissions'],
  [{ permissions: { riskLevel: 'hgih' } }, '/permissions/riskLevel', /Did you mean "high"\?/],
  [{ permissions: { riskLevel: 'HIGH' } }, '/permissions/riskLevel', /Did you mean "high"\?/],
  [{ permissions: { requiresApproval: 'true' } }, '/permissions/requiresApproval'],
  [{ permissions: { deniedRole: ['x'] } }, '/permissions/deniedRole', /"deniedRoles"/],
  [{ permissions: { requiredRoles: 'admin' } }, '/permissions/requiredRoles'],
  [{ permissions: { tags: ['a', 5] } }, '/permissions/tags/1'],
  [{ effects: { destructiv: true } }, '/effects/destructiv', /"destructive"/],
  [{ effects: { readOnly: 1 } }, '/effects/readOnly'],
  [{ effects: { concurrency: 'paralel' } }, '/effects/concurrency', /"parallel"/],
  [{ effects: { resources: {} } }, '/effects/resources'],
  [{ effects: [] }, '/effects'],
  [{ limits: { concurrency: 0 } }, '/limits/concurrency'],
  [{ limits: { concurrency: -1 } }, '/limits/concurrency'],
  [{ limits: { concurrency: NaN } }, '/limits/concurrency'],
  [{ limits: { perMinute: 0 } }, '/limits/perMinute'],
  [{ limits: { perMinute: 0.5 } }, '/limits/perMinute'],
  [{ limits: { perHour: '10' } }, '/limits/perHour', /Write 10 without quotes\./],
  [{ limits: { 'per/minute': 1 } }, '/limits/per~1minute', /"perMinute"/],
  [{ timeoutMs: 'x' }, '/timeoutMs'],
  [{ timeoutMs: -5 }, '/timeoutMs'],
  [{ timeoutMs: NaN }, '/timeoutMs'],
  [{ timeoutMs: 2 ** 31 }, '/timeoutMs'],
  [{ retry: 5 }, '/retry'],
  [{ retry: {} }, '/retry/maxRetries'],
  [{ retry: { ...retry, maxRetries: NaN } }, '/retry/maxRetries'],
  [{ retry: { ...retry, backoff: 'none' } }, '/retry/backoff'],
  [{ retry: { ...retry, initialDelayMs: -1 } }, '/retry/initialDelayMs'],
  [{ retry: { ...retry, retryable: 'timeout' } }, '/retry/retryable'],
  [{ healthCheck: { ...health, intervalMs: 0 } }, '/healthCheck/intervalMs'],
  [{ healthCheck: {} }, '/healthCheck/intervalMs'],
  [{ fallback: 'local::x' }, '/fallback'],
  [{ deferred: 'false' }, '/deferred', /Write false without quotes\./],
  [{ groups: [1] }, '/groups/0'],
  [{ version: 2 }, '/version', /Write 2 in quotes\./],
  [{ outputs: 'text' }, '/outputs'],
  [{ metadata: [] }, '/metadata'],
]

const declared = {
  namespace: 'local',
  name: 't',
  description: 'Does t.',
  parameters: { type: 'object' },
  backend: { adapter: 'cli', command: 'x' },
}

describe('a definition with a switch that does not fit', () => {
  it.each(faults)('is refused: %j', (given, where, hint = /\.$/) => {
    const gateway = gatewayOf([])
    for (const add of [
      () => gatewayOf([tool('t', () => 'ran', given)]),
      () => gateway.registry.add(tool('t', () => 'ran', given)),
      () => gateway.registry.add({ ...declared, ...given }),
    ]) {
      const error = refusal(add)
      expect(error).toBeInstanceOf(InvalidToolError)
      expect(error).toMatchObject({ rule: 'tool-field', where: `local::t#${where}` })
      expect(error?.message).toContain('local::t')
      expect(error?.message).toMatch(/ is .*; expected .*\.$/)
      expect(error?.hint).toMatch(hint)
    }
    expect(gateway.registry.list()).toEqual([])
  })

  it.each([null, undefined, 5, 'tool', [], () => 1])('is refused when it is none: %j', (none) => {
    const gateway = gatewayOf([])
    expect(refusal(() => gateway.registry.add(none as never))?.message).toMatch(/^A tool is /)
    expect(refusal(() => createGateway({ tools: [none as never] }))?.rule).toBe('tool-field')
  })

  it.each([undefined, null, 'x', 5, []])('is refused with parameters that are %j', (parameters) => {
    const add = (): unknown => gatewayOf([tool('t', () => 1, { parameters } as never)])
    expect(refusal(add)).toBeInstanceOf(InvalidToolError)
  })

  it('is refused where what it is called is no field of its own', () => {
    class Tool {
      readonly name = 't'
      readonly description = 'd'
      readonly parameters = { type: 'object' }
      get namespace(): string {
        return 'local'
      }
      execute(): number {
        return 1
      }
    }
    expect(refusal(() => gatewayOf([new Tool()]))).toMatchObject({
      rule: 'tool-field',
      where: 'local::t#/namespace',
    })
  })

  it('leaves the tool as it was when it comes in its place', async () => {
    const gateway = gatewayOf([tool('t', () => 'old')])
    expect(
      refusal(() => gateway.registry.add(tool('t', () => 'new', { confirm: 1 } as never))),
    ).toBeDefined()
    expect((await gateway.dispatch({ name: 't', arguments: {} })).data).toBe('old')
  })
})

describe('a definition whose switches fit', () => {
  const whole: Partial<Omit<FunctionTool, 'execute'>> = {
    version: '1',
    category: 'c',
    permissions: {
      tags: ['a'],
      requiredRoles: ['b'],
      deniedRoles: [],
      riskLevel: 'critical',
      requiresApproval: false,
    },
    confirm: false,
    confirmMessage: 'Sure?',
    effects: {
      readOnly: false,
      idempotent: true,
      destructive: false,
      concurrency: 'exclusive',
      resources: () => undefined,
    },
    limits: { perMinute: 1, perHour: 2, burst: 3, concurrency: 4 },
    timeoutMs: 0.5,
    retry: { ...retry, maxRetries: 0, initialDelayMs: 0, retryable: ['timeout'] },
    healthCheck: health,
    fallback: ['local::other'],
    deferred: true,
    groups: ['g'],
    outputs: true,
    metadata: { anything: { at: 'all' } },
  }

  it('is taken with every field, and with fields that are undefined', () => {
    expect(gatewayOf([tool('t', () => 1, whole)]).registry.get('t')).toMatchObject(whole)
    const empty = Object.fromEntries(Object.keys(whole).map((key) => [key, undefined]))
    expect(gatewayOf([tool('t', () => 1, empty)]).registry.get('t')).toBeDefined()
  })
})
