import { createHookBus } from '@callgate/hooks'
import { defineAdapter, ToolError } from '@callgate/spec'
import type { CallgateEvents } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createGateway, memoryAudit, toolOutput } from '../src/index.ts'
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

describe('what an adapter does wrong', () => {
  const adapterThat = (invoke: () => unknown) =>
    defineAdapter<object>({
      contract: 1,
      name: 'bad',
      capabilities: { isolation: 'none' },
      configSchema: { type: 'object' },
      create: () => ({ invoke: invoke as never }),
    })({})
  const failing = (error: unknown) =>
    adapterThat(async () => {
      throw error
    })
  const declared = {
    namespace: 'a',
    name: 'b',
    description: 'c',
    parameters: true,
    backend: { adapter: 'bad' },
  }

  it('is internal and its text withheld, unless it throws a ToolError', async () => {
    const error = new TypeError('secret path /etc/x')
    const gateway = createGateway({ tools: [declared], adapters: [failing(error)] })
    const result = await gateway.dispatch({ name: 'a::b', arguments: {} })
    expect(result.error).toMatchObject({ code: 'internal', status: 500 })
    expect(JSON.stringify(result)).not.toContain('/etc/x')
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['content that is no list of parts', { data: null, content: [null], isError: true }],
  ])('is internal when it gives %s, at once or later', async (_, output) => {
    for (const invoke of [() => output, async () => output]) {
      const gateway = createGateway({ tools: [declared], adapters: [adapterThat(invoke)] })
      const result = await gateway.dispatch({ name: 'a::b', arguments: {} })
      expect(result.error).toMatchObject({ code: 'internal', status: 500 })
    }
  })

  it('reaches the model as the adapter says when it throws a ToolError, with rule and parameter', async () => {
    const error = new ToolError({
      code: 'guard_refused',
      message: 'No.',
      rule: 'dotdot',
      parameter: 'path',
      started: 'no',
    })
    const gateway = createGateway({ tools: [declared], adapters: [failing(error)] })
    expect(await gateway.dispatch({ name: 'a::b', arguments: {} })).toMatchObject({
      status: 'denied',
      error: { code: 'guard_refused', status: 403, rule: 'dotdot', parameter: 'path' },
      metadata: { outcome: 'not_started' },
    })
  })

  it('is an unknown outcome when the connection broke in a call that must not run twice', async () => {
    const error = new ToolError({
      code: 'backend_unavailable',
      message: 'Reset.',
      started: 'unknown',
    })
    const ask = async (effects?: object) =>
      (
        await createGateway({
          tools: [{ ...declared, ...(effects && { effects }) }],
          adapters: [failing(error)],
        }).dispatch({ name: 'a::b', arguments: {} })
      ).error?.code
    expect(await ask()).toBe('outcome_unknown')
    expect(await ask({ idempotent: true })).toBe('backend_unavailable')
  })
})

describe('results', () => {
  async function resultOf(value: unknown, more = {}) {
    return gatewayOf([tool('t', () => value)], more).dispatch({ name: 't', arguments: {} })
  }

  it('are JSON whatever the tool returns', async () => {
    const ring: Record<string, unknown> = {
      big: 2n ** 70n,
      at: new Date(0),
      map: new Map([['a', 1]]),
      set: new Set([1]),
      bytes: new Uint8Array(3),
      f: () => 1,
      nan: Number.NaN,
      error: new Error('x'),
    }
    ring['self'] = ring
    const { data, content, status } = await resultOf(ring)
    expect(status).toBe('ok')
    expect(data).toEqual({
      big: '1180591620717411303424',
      at: '1970-01-01T00:00:00.000Z',
      map: { a: 1 },
      set: [1],
      bytes: '[3 bytes]',
      nan: 'NaN',
      error: { name: 'Error', message: 'x' },
      self: '[circular]',
    })
    expect(JSON.parse((content[0] as { text: string }).text)).toEqual(data)
  })

  it('are nothing for a tool that returns nothing', async () => {
    expect(await resultOf(undefined)).toMatchObject({ status: 'ok', data: null, content: [] })
  })

  it('keep media, and take isError at its word', async () => {
    const image = { type: 'image', mediaType: 'image/png', data: new Uint8Array([1]) } as const
    expect(
      (await resultOf(toolOutput({ content: [image, { type: 'text', text: 'a cat' }] }))).content,
    ).toEqual([image, { type: 'text', text: 'a cat' }])
    expect(
      await resultOf(
        toolOutput({
          isError: true,
          data: { why: 'full' },
          content: [{ type: 'text', text: 'disk full' }],
        }),
      ),
    ).toMatchObject({
      status: 'error',
      data: { why: 'full' },
      error: { code: 'tool_failed', message: 'disk full' },
      metadata: { outcome: 'done' },
    })
  })

  it('over the cap keep head and tail on character boundaries, and the whole in a blob', async () => {
    const text = `BEGIN ${'文'.repeat(100_000)} END`
    const blobs: Uint8Array[] = []
    const { content, data, metadata } = await resultOf(text, {
      policy: { resultCapBytes: 1000 },
      ports: {
        blobs: {
          open: () => ({
            write: async (chunk: Uint8Array) => void blobs.push(chunk),
            close: async () => ({ blobId: 'b1', bytes: blobs.length }),
          }),
          read: async () => new Uint8Array(),
        },
      },
    })
    const shown = (content[0] as { text: string }).text
    expect(shown).toMatch(/^BEGIN 文+\n\[… \d+ bytes left out …\]\n文+ END$/)
    expect(data).toBe(shown)
    expect(metadata.truncated).toMatchObject({ blobId: 'b1', totalBytes: 300_010 })
    expect(metadata.truncated!.keptBytes).toBeLessThanOrEqual(1000)
    expect(new TextDecoder().decode(blobs[0])).toBe(text)
  })

  it('leave the audit without secrets under telling names, at every depth (aud-01)', async () => {
    const audit = memoryAudit()
    const gateway = gatewayOf(
      [
        tool('t', () => {
          throw new Error('failed with {"api_key":"sk-test-1"}')
        }),
      ],
      { ports: { audit } },
    )
    await gateway.dispatch({
      name: 't',
      arguments: {
        headers: { Authorization: 'Bearer abc.def', Cookie: 'sid=1' },
        items: [{ private_key: '-----BEGIN KEY-----' }],
      },
    })
    const text = JSON.stringify(audit.entries())
    for (const secret of ['abc.def', 'sid=1', 'BEGIN KEY', 'sk-test-1'])
      expect(text).not.toContain(secret)
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

describe('facts of an adapter', () => {
  it('about a call stand in the metadata of its result', async () => {
    const adapter = defineAdapter<object>({
      contract: 1,
      name: 'web',
      capabilities: { isolation: 'connection' },
      configSchema: { type: 'object' },
      create: () => ({ invoke: async () => ({ data: 1, metadata: { status: 201, size: 5n } }) }),
    })
    const gateway = createGateway({
      tools: [
        {
          namespace: 'a',
          name: 'b',
          description: 'c',
          parameters: true,
          backend: { adapter: 'web' },
        },
      ],
      adapters: [adapter({})],
    })
    const { metadata } = await gateway.dispatch({ name: 'a::b', arguments: {} })
    expect(metadata.backend).toEqual({ status: 201, size: '5' })
  })
})
