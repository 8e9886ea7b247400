import { createHookBus } from '@callgate/hooks'
import { type CallgateEvents } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { memoryAudit } from '../src/index.ts'
import { gatewayOf, tool } from './tools.ts'

const number = {
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
  additionalProperties: false,
} as const

describe('a call', () => {
  it('goes through the seven steps in order', async () => {
    const { metadata, status, data } = await gatewayOf([tool('t', () => 7)]).dispatch({
      id: 'c',
      name: 't',
      arguments: '{}',
    })
    expect({ status, data }).toEqual({ status: 'ok', data: 7 })
    expect(metadata.trace.map(({ step }) => step)).toEqual([
      'lookup',
      'adapter',
      'permission',
      'validation',
      'execution',
      'result',
      'injection',
    ])
  })

  it('gets repaired arguments, frozen, and says what was repaired', async () => {
    let got: unknown
    const gateway = gatewayOf([tool('t', (args) => (got = args), { parameters: number })])
    const { metadata } = await gateway.dispatch({ name: 't', arguments: '{"n": "5"}' })
    expect(got).toEqual({ n: 5 })
    expect(Object.isFrozen(got)).toBe(true)
    expect(metadata.repairs).toMatchObject([{ path: '/n', from: '5', to: 5 }])
  })

  it('leaves the arguments of the caller as they were, and unfrozen', async () => {
    const args = { n: '5', deep: { list: [1] } }
    await gatewayOf([tool('t', () => 1)]).dispatch({ name: 't', arguments: args })
    expect(args).toEqual({ n: '5', deep: { list: [1] } })
    expect(Object.isFrozen(args.deep.list)).toBe(false)
  })

  it('takes empty, blank and missing argument text as no arguments (arg-01)', async () => {
    const gateway = gatewayOf([
      tool('now', (args) => args, { parameters: { type: 'object', properties: {} } }),
    ])
    for (const text of ['', '   ', null, undefined]) {
      expect(await gateway.dispatch({ name: 'now', arguments: text })).toMatchObject({
        status: 'ok',
        data: {},
      })
    }
  })

  it('repairs what its schema asks for and leaves text that only looks like JSON (arg-03)', async () => {
    const parameters = {
      type: 'object',
      properties: {
        queries: { type: 'array', items: { type: 'string' } },
        note: { type: 'string' },
        limit: { type: 'integer' },
        deep: { type: 'boolean' },
      },
      required: ['queries'],
    } as const
    const gateway = gatewayOf([tool('find', (args) => args, { parameters })])
    const { data, metadata } = await gateway.dispatch({
      name: 'find',
      arguments: { queries: '["t"]', note: '[1]', limit: '7', deep: 'true' },
    })
    expect(data).toEqual({ queries: ['t'], note: '[1]', limit: 7, deep: true })
    expect(metadata.repairs.map(({ path }) => path)).toEqual(['/queries', '/limit', '/deep'])
  })

  it('is refused with every field, what came and what fits, when its arguments do not fit', async () => {
    const { error, metadata } = await gatewayOf([
      tool('t', () => 1, { parameters: number }),
    ]).dispatch({
      name: 't',
      arguments: { n: 'many', m: 1 },
    })
    expect(error).toMatchObject({ code: 'invalid_arguments', status: 400, retryable: false })
    expect(error?.fields?.map(({ path, constraint }) => [path, constraint])).toEqual(
      expect.arrayContaining([
        ['/n', 'type'],
        ['', 'additionalProperties'],
      ]),
    )
    expect(error?.hint).toContain('/n')
    expect(metadata.outcome).toBe('not_started')
  })

  it('names a field that is missing once', async () => {
    const parameters = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
    const gateway = gatewayOf([tool('add', () => 1, { parameters })])
    const { error } = await gateway.dispatch({ name: 'add', arguments: {} })
    expect(error?.message).toBe(
      'The arguments of add do not fit its schema: the arguments: got nothing, expected "n" (number).',
    )
  })

  it('is refused, never completed, when its argument text was cut off', async () => {
    const { error } = await gatewayOf([tool('t', () => 1)]).dispatch({
      name: 't',
      arguments: '{"path": "al',
    })
    expect(error).toMatchObject({ code: 'malformed_call', rule: 'truncated' })
  })

  it('is refused when its arguments are no JSON: a ring, a function, a class, too deep', async () => {
    const ring: Record<string, unknown> = {}
    ring['self'] = ring
    let deep: object = {}
    for (let level = 0; level < 5000; level++) deep = { deep }
    const gateway = gatewayOf([tool('t', () => 1)])
    for (const args of [ring, { f: () => 1 }, { d: new Date() }, { n: Number.NaN }, deep, [1], 7]) {
      const { error } = await gateway.dispatch({ name: 't', arguments: args })
      expect(['malformed_call', 'invalid_arguments']).toContain(error?.code)
    }
  })

  it('may be named __proto__ or constructor, or have such arguments, and nothing happens', async () => {
    const gateway = gatewayOf([tool('t', (args) => Object.keys(args))])
    for (const name of ['__proto__', 'constructor', 'toString', '']) {
      expect((await gateway.dispatch({ name, arguments: {} })).status).toBe('error')
    }
    const hostile = await gateway.dispatch({
      name: 't',
      arguments: '{"__proto__": {"x": 1}, "constructor": 2}',
    })
    expect(hostile.status).toBe('ok')
    expect(({} as { x?: unknown }).x).toBeUndefined()
    expect((await gateway.dispatch(undefined as never)).error?.code).toBe('malformed_call')
    expect((await gateway.dispatch({ name: 7 } as never)).error?.code).toBe('malformed_call')
  })

  it('has an id of its own where none was given', async () => {
    const gateway = gatewayOf([tool('t', () => 1)])
    const ids = await Promise.all(
      [1, 2, 3].map(async () => (await gateway.dispatch({ name: 't', arguments: {} })).callId),
    )
    expect(new Set(ids).size).toBe(3)
    expect(ids).not.toContain('')
  })
})

describe('lookup', () => {
  it('tells a caller that sees everything which names are near, and runs nothing in place of a name', async () => {
    let ran = false
    const gateway = gatewayOf([tool('read_file', () => (ran = true))])
    for (const name of ['raed_file', 'Read-File', 'READ_FILE', 'file']) {
      const { error } = await gateway.dispatch({ name, arguments: {} })
      expect(error).toMatchObject({ code: 'tool_not_found', status: 404 })
      if (name !== 'file') expect(error?.hint).toContain('local::read_file')
    }
    expect(ran).toBe(false)
  })

  it('says 501 for a tool whose adapter is not there', async () => {
    const declared = {
      namespace: 'a',
      name: 'b',
      description: 'c',
      parameters: true,
      backend: { adapter: 'redis' },
    }
    expect(
      (await gatewayOf([declared]).dispatch({ name: 'a::b', arguments: {} })).error,
    ).toMatchObject({
      code: 'no_adapter',
      status: 501,
    })
  })
})

describe('roles', () => {
  const roles = {
    viewer: { tagsAllow: ['readonly'] },
    admin: { tagsAllow: ['*'] },
    default: { tagsAllow: [] },
  }
  const gateway = gatewayOf(
    [
      tool('look', () => 'seen', { permissions: { tags: ['readonly'] } }),
      tool('drop', () => 'dropped', { permissions: { tags: ['write'] } }),
      tool('bare', () => 'bare'),
      tool('special', () => 1, {
        permissions: { tags: ['readonly'], requiredRoles: ['ops'], deniedRoles: ['guest'] },
      }),
    ],
    { policy: { roles } },
  )
  const visible = (...held: string[]): readonly string[] =>
    gateway.registry.list({ roles: held }).map(({ name }) => name)

  it('show a caller the tools whose tags one of its roles allows, in the list and in the call alike', async () => {
    expect(visible('viewer')).toEqual(['look'])
    expect(visible('admin')).toEqual(['look', 'drop', 'bare'])
    expect(visible('viewer', 'ops')).toEqual(['look', 'special'])
    expect(visible('viewer', 'ops', 'guest')).toEqual(['look'])
    expect(gateway.registry.list()).toEqual([])
    for (const { name } of gateway.registry.list({ roles: ['viewer'] })) {
      expect((await gateway.dispatch({ name, arguments: {} }, { roles: ['viewer'] })).status).toBe(
        'ok',
      )
    }
  })

  it('give one answer for a tool that a caller may not see and for one that is not there', async () => {
    const ask = async (name: string) =>
      (await gateway.dispatch({ name, arguments: {} }, { roles: ['viewer'] })).error
    expect(await ask('drop')).toEqual(await ask('nothing_like_it'))
    expect(await ask('drop')).toMatchObject({ code: 'permission_denied', status: 403 })
    expect((await ask('looks'))?.hint).toContain('look')
  })

  it('keep the true reason for the audit', async () => {
    const audit = memoryAudit()
    const watched = gatewayOf([tool('drop', () => 1, { permissions: { tags: ['write'] } })], {
      policy: { roles },
      ports: { audit },
    })
    await watched.dispatch({ name: 'drop', arguments: {} }, { roles: ['viewer'] })
    await watched.dispatch({ name: 'gone', arguments: {} }, { roles: ['viewer'] })
    expect(audit.entries()).toMatchObject([
      { reason: expect.stringMatching(/layer 1/) as string },
      { reason: 'no such tool' },
    ])
  })

  it('are explained without running anything', async () => {
    const explain = (name: string, role: string) =>
      gateway.explain({ name, arguments: {} }, { roles: [role] })
    expect(await explain('look', 'viewer')).toMatchObject({
      decision: 'allow',
      rolesThatMay: ['viewer', 'admin'],
    })
    expect(await explain('drop', 'viewer')).toMatchObject({
      decision: 'deny',
      layer: 1,
      rolesThatMay: [],
    })
    expect(await explain('drop', 'admin')).toMatchObject({ decision: 'allow' })
  })
})

describe('a pre_tool_call transform', () => {
  const parameters = {
    type: 'object',
    properties: {
      cmd: { type: 'string' },
      opts: { type: 'object' },
      list: { type: 'array', items: { type: 'integer' } },
    },
  } as const
  async function run(change: object): Promise<unknown> {
    const hooks = createHookBus<CallgateEvents>()
    hooks.on('pre_tool_call', () => ({ action: 'modify', ...change }), {
      kind: 'transform',
      id: 'm',
    })
    const gateway = gatewayOf([tool('t', (args) => args, { parameters })], { hooks })
    const { data, error } = await gateway.dispatch({
      name: 't',
      arguments: { cmd: 'raw', opts: { a: 1, 'b/c': 2 }, list: [1, 2] },
    })
    return error ?? data
  }

  it('rewrites what runs: whole arguments, places, removals, and coerces the result again (hok-01)', async () => {
    expect(await run({ args: { cmd: 'safe' } })).toMatchObject({ cmd: 'safe', opts: { a: 1 } })
    expect(
      await run({ set: { '/opts/a': 5, '/list/-': '3' }, remove: ['/opts/b~1c', '/list/0'] }),
    ).toEqual({
      cmd: 'raw',
      opts: { a: 5 },
      list: [2, 3],
    })
  })

  it('leaves both in the audit: what came and what ran', async () => {
    const hooks = createHookBus<CallgateEvents>()
    hooks.on('pre_tool_call', () => ({ action: 'modify', args: { cmd: 'safe' } }), {
      kind: 'transform',
    })
    const audit = memoryAudit()
    await gatewayOf([tool('t', () => 1, { parameters })], { hooks, ports: { audit } }).dispatch({
      name: 't',
      arguments: { cmd: 'raw' },
    })
    expect(audit.entries()).toMatchObject([
      { arguments: { cmd: 'safe' }, originalArguments: { cmd: 'raw' } },
    ])
  })

  it('is at fault when its change does not fit, and the call does not run', async () => {
    for (const change of [
      { args: ['x'] },
      { set: { '/nowhere/deep': 1 } },
      { set: { '/list/9': 1 } },
      { remove: 'cmd' },
      { args: { list: 'no list' } },
      { args: { cmd: () => 1 } },
    ]) {
      expect(await run(change)).toMatchObject({
        code: 'hook_failed',
        message: expect.stringContaining('"m"') as string,
      })
    }
  })

  it('changes nothing when its change is empty', async () => {
    expect(await run({})).toMatchObject({ cmd: 'raw' })
    expect(await run({ args: {}, set: {}, remove: [] })).toMatchObject({ cmd: 'raw' })
  })
})

describe('calls made inside calls', () => {
  it('go the whole way with the outer call as their parent, and end at a depth', async () => {
    const hooks = createHookBus<CallgateEvents>()
    const seen: (string | undefined)[] = []
    hooks.on('pre_tool_call', async (payload) => {
      seen.push(payload.parentCallId)
      await payload.call({ name: 't', arguments: {} })
    })
    const gateway = gatewayOf([tool('t', () => 1)], { hooks })
    expect((await gateway.dispatch({ id: 'top', name: 't', arguments: {} })).status).toBe('ok')
    expect(seen[0]).toBeUndefined()
    expect(seen[1]).toBe('top')
    expect(seen.length).toBeLessThan(12)
  })
})
