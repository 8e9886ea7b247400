import { InvalidOptionsError, InvalidToolError } from '@callgate/spec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createGateway, defineTool } from '../src/index.ts'
import { gatewayOf, refusal, tool } from './tools.ts'

const wireForm = /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/

function named(namespace: string, name: string): ReturnType<typeof tool> {
  return tool(name, () => 'ran', { namespace })
}

describe('wire names', () => {
  it('are of one tool each, also where another was named after what a tool would get', () => {
    const squat = gatewayOf([named('a', 'X'), named('a', 'x')]).registry.wireName('a::x')!
    const other = `a::${squat.slice('a__'.length)}`
    const { registry } = gatewayOf([
      named('a', 'X'),
      named('a', other.slice('a::'.length)),
      named('a', 'x'),
    ])
    expect(registry.wireName(other)).toBe(squat)
    const wire = registry.wireName('a::x')!
    expect(wire).toMatch(wireForm)
    expect(wire).not.toBe(squat)
    registry.remove(other)
    expect(registry.get(wire)?.name).toBe('x')
  })

  it('are legal for every provider, reversible and unique, whatever the ids', () => {
    const part = fc
      .stringMatching(/^[a-zA-Z0-9_.\-/:é文 ]{1,80}$/)
      .filter((text) => text.trim() !== '')
    const ids = fc.uniqueArray(fc.tuple(part, part), {
      selector: ([a, b]) => `${a}::${b}`,
      maxLength: 20,
    })
    fc.assert(
      fc.property(ids, (parts) => {
        const gateway = gatewayOf(parts.map(([namespace, name]) => named(namespace, name)))
        const wires = parts.map(([namespace, name]) =>
          gateway.registry.wireName(`${namespace}::${name}`)!,
        )
        for (const [index, wire] of wires.entries()) {
          expect(wire).toMatch(wireForm)
          expect(gateway.registry.get(wire)).toMatchObject({
            namespace: parts[index]![0],
            name: parts[index]![1],
          })
        }
        expect(new Set(wires.map((wire) => wire.toLowerCase())).size).toBe(wires.length)
      }),
    )
  })

  it('stand for ids that providers refuse (nam-01)', async () => {
    const ids = ['mcp::srv.a::do/it', 'http::api::x.y', `local::${'n'.repeat(87)}`]
    const gateway = gatewayOf(
      ids.map((id) => named(id.slice(0, id.lastIndexOf('::')), id.slice(id.lastIndexOf('::') + 2))),
    )
    for (const id of ids) {
      const wire = gateway.registry.wireName(id)!
      expect(wire).toMatch(wireForm)
      expect(await gateway.dispatch({ name: wire, arguments: {} })).toMatchObject({
        tool: id,
        status: 'ok',
      })
    }
  })

  it('drop the namespace local, join others with two underscores, and end in a hash where they had to be changed', () => {
    const gateway = gatewayOf([
      named('local', 'read_file'),
      named('mcp::files', 'read'),
      named('mcp::a', 'do-it'),
    ])
    expect(gateway.registry.wireName('local::read_file')).toBe('read_file')
    expect(gateway.registry.wireName('mcp::files::read')).toBe('mcp__files__read')
    expect(gateway.registry.wireName('mcp::a::do-it')).toMatch(/^mcp__a__do_it_[0-9a-f]{8}$/)
  })

  it('keep two tools of the same name on two servers apart (nam-02)', async () => {
    const gateway = gatewayOf([named('mcp::a', 'search'), named('mcp::b', 'search')])
    for (const name of ['mcp__a__search', 'mcp__b__search']) {
      expect((await gateway.dispatch({ name, arguments: {} })).status).toBe('ok')
    }
  })
})

describe('registration', () => {
  it('refuses a tool with the name of a bridge tool, and keeps the rest (brg-03)', () => {
    const gateway = gatewayOf([named('local', 'normal')])
    expect(() => gateway.registry.add(named('local', 'tool_search'))).toThrow(InvalidToolError)
    expect(() => gateway.registry.add(named('local', 'tool_search'))).toThrow(/tool_search.*bridge/)
    expect(() => gateway.registry.add(named('bridge', 'tool_search'))).toThrow(
      /tool_search.*bridge/,
    )
    expect(gateway.registry.get('local::normal')).toBeDefined()
  })

  it('refuses a broken schema, naming the tool, the place and the bad word', () => {
    const parameters = { type: 'object', properties: { x: { type: 'strnig' } } } as const
    expect(() => gatewayOf([tool('bad', () => 1, { parameters })])).toThrow(
      /local::bad.*\/properties\/x.*strnig/,
    )
  })

  it('leaves the definition that it was given alone, and does not see it change', async () => {
    const parameters = { type: 'object', properties: { n: { type: 'integer' } } }
    const gateway = gatewayOf([tool('t', (args) => args, { parameters })])
    parameters.properties.n.type = 'string'
    expect((await gateway.dispatch({ name: 't', arguments: { n: '5' } })).data).toEqual({ n: 5 })
    const ring: Record<string, unknown> = { type: 'object' }
    ring['properties'] = { self: ring }
    expect(() => gatewayOf([tool('r', () => 1, { parameters: ring })])).toThrow(
      /nested more than 500/,
    )
  })

  it('refuses a tool without name, description or adapter, saying what is missing', () => {
    const add = (changes: object) => () =>
      gatewayOf([
        {
          namespace: 'a',
          name: 'b',
          description: 'c',
          parameters: true,
          backend: { adapter: 'x' },
          ...changes,
        } as never,
      ])
    expect(add({ name: '' })).toThrow(/The name of a tool is ""/)
    expect(add({ namespace: 7 })).toThrow(/The namespace of a tool is 7/)
    expect(add({ description: undefined })).toThrow(/description of a::b/)
    expect(add({ backend: {} })).toThrow(/names no adapter/)
  })

  it.each([10n, Symbol('s'), Object.create(null) as object, null, undefined, ['a']])(
    'refuses a tool whose name or namespace is no text: %o',
    (part) => {
      for (const key of ['name', 'namespace']) {
        const given = { ...tool('t', () => 1), [key]: part } as never
        const gateway = gatewayOf([])
        for (const add of [() => gatewayOf([given]), () => gateway.registry.add(given)]) {
          const error = refusal(add)
          expect(error).toBeInstanceOf(InvalidToolError)
          expect(error).toMatchObject({ rule: `tool-${key}` })
          expect(error?.message).toMatch(/; expected text without control characters\.$/)
        }
      }
    },
  )

  it.each([null, undefined, 'x', 5, 10n, Symbol('s'), {}, [null], Object.create(null) as object])(
    'refuses to search for what are no texts, and to tell of an event that is none: %o',
    (given) => {
      const { registry } = gatewayOf([])
      for (const ask of [
        () => registry.search(given as never),
        () => registry.on(given as never, () => {}),
        () => registry.on('added', given as never),
      ]) {
        const error = refusal(ask)
        expect(error).toBeInstanceOf(InvalidOptionsError)
        expect(error?.message).toMatch(/^registry\.\w+ was given .*; expected .+\.$/)
      }
    },
  )

  it.each([null, 'x', 5, [], { limit: null }, { limit: '3' }, { limit: -1 }, { limit: NaN }])(
    'refuses to search with options that are none: %o',
    (given) => {
      const error = refusal(() => gatewayOf([]).registry.search(['x'], given as never))
      expect(error).toBeInstanceOf(InvalidOptionsError)
      expect(error?.message).toMatch(/^registry\.search was given .*; expected .+\.$/)
    },
  )

  it.each([undefined, {}, { limit: undefined }, { limit: Infinity }])(
    'searches with the options %o',
    (options) => {
      const { registry } = gatewayOf([named('local', 'x')])
      expect(registry.search(['x'], options as never)).toMatchObject([
        { hits: [{ id: 'local::x' }] },
      ])
    },
  )

  it('says what event was meant', () => {
    const { registry } = gatewayOf([])
    expect(refusal(() => registry.on('add' as never, () => {}))?.hint).toContain('"added"')
  })

  it('refuses options of the gateway that do not fit, naming the option', () => {
    expect(() => createGateway({ tool: [] } as never)).toThrow(/tool is unknown/)
    expect(() => createGateway({ tools: {} } as never)).toThrow(
      /tools is an object; expected a list/,
    )
    expect(() => createGateway({ policy: { timeoutMs: -1 } })).toThrow(/policy.timeoutMs is -1/)
    expect(() => createGateway({ adapters: [{ name: 'x' } as never] })).toThrow(
      /not made by defineAdapter/,
    )
  })

  it('refuses two tools with one id in one list, naming both places, and lets a later one change the first', async () => {
    const first = tool('rm', () => 'first', { confirm: true })
    const second = tool('rm', () => 'second')
    expect(refusal(() => gatewayOf([first, tool('ls', () => 1), second]))).toMatchObject({
      rule: 'duplicate-tool',
      where: '/tools/2',
      message: 'createGateway: tools.0 and tools.2 are both local::rm.',
    })
    const gateway = gatewayOf([first])
    gateway.registry.add(second)
    expect((await gateway.dispatch({ name: 'rm', arguments: {} })).data).toBe('second')
  })

  it('takes off one listener only, where one function was given twice', () => {
    const { registry } = gatewayOf([])
    const heard: string[] = []
    const listener = (id: string): void => void heard.push(id)
    const off = registry.on('added', listener)
    registry.on('added', listener)
    off()
    off()
    registry.add(named('a', 'x'))
    expect(heard).toEqual(['a::x'])
  })

  it('tells listeners what was added, changed and removed', () => {
    const gateway = gatewayOf([])
    const seen: string[] = []
    for (const event of ['added', 'changed', 'removed'] as const) {
      gateway.registry.on(event, (id) => seen.push(`${event} ${id}`))
    }
    gateway.registry.add(named('local', 'a'))
    gateway.registry.add(named('local', 'a'))
    gateway.registry.remove('local::a')
    gateway.registry.remove('local::a')
    expect(seen).toEqual(['added local::a', 'changed local::a', 'removed local::a'])
  })

  it('lets a call in flight finish on the tool that it found, though it is replaced and removed meanwhile', async () => {
    let finish: (value: string) => void = () => {}
    const gateway = gatewayOf([tool('t', () => new Promise((resolve) => (finish = resolve)))])
    const running = gateway.dispatch({ name: 't', arguments: {} })
    gateway.registry.add(tool('t', () => 'new'))
    expect((await gateway.dispatch({ name: 't', arguments: {} })).data).toBe('new')
    gateway.registry.remove('local::t')
    finish('old')
    expect((await running).data).toBe('old')
    expect((await gateway.dispatch({ name: 't', arguments: {} })).error?.code).toBe(
      'tool_not_found',
    )
  })
})

describe('Standard Schema', () => {
  const standard = {
    '~standard': {
      version: 1,
      vendor: 'test',
      types: undefined as
        | { readonly input: unknown; readonly output: { when: string } }
        | undefined,
      validate: (value: unknown) => {
        const { when } = value as { when: string }
        return when === 'bad'
          ? { issues: [{ message: 'a date', path: ['when'] }] }
          : { value: { when: `${when}!` } }
      },
      jsonSchema: {
        input: () => ({
          type: 'object',
          properties: { when: { type: 'string' } },
          required: ['when'],
        }),
      },
    },
  } as const

  it('checks arguments by its own rules and hands on what its transforms make', async () => {
    const gateway = createGateway({
      tools: [
        defineTool({
          namespace: 'local',
          name: 's',
          description: 's',
          parameters: standard,
          execute: ({ when }) => when.toUpperCase(),
        }),
      ],
    })
    expect((await gateway.dispatch({ name: 's', arguments: { when: 'now' } })).data).toBe('NOW!')
    const refused = await gateway.dispatch({ name: 's', arguments: { when: 'bad' } })
    expect(refused.error).toMatchObject({
      code: 'invalid_arguments',
      fields: [{ path: '/when', expected: 'a date' }],
    })
  })

  it('is refused at registration when it cannot say what it takes', () => {
    const { jsonSchema: _, ...without } = standard['~standard']
    expect(() => gatewayOf([tool('s', () => 1, { parameters: { '~standard': without } })])).toThrow(
      /does not convert to JSON Schema/,
    )
  })
})

it.each([
  ['a pattern that may explode', { type: 'string', pattern: '^(a+)+$' }],
  ['a remote reference', { $ref: 'https://example.test/schema.json' }],
])('a tool with %s is named in the log, since values are not checked against it', (_, x) => {
  const warnings: unknown[] = []
  const silent = (): void => {}
  const warn = (message: string, fields?: object): void =>
    void warnings.push({ message, ...fields })
  createGateway({
    tools: [tool('odd', () => 1, { parameters: { type: 'object', properties: { x } } })],
    log: { debug: silent, info: silent, warn, error: silent },
  })
  expect(warnings).toMatchObject([
    {
      message: expect.stringContaining('local::odd') as string,
      unchecked: [{ path: expect.stringContaining('/properties/x') as string }],
    },
  ])
})
