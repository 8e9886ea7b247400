import { cliAdapter, securityCheck as checkPrograms } from '@callgate/adapter-cli'
import { fileAdapter, securityCheck as checkFiles, testPathEscape } from '@callgate/adapter-file'
import { httpAdapter, loadOpenApi, securityCheck as checkHttp } from '@callgate/adapter-http'
import { mcpAdapter } from '@callgate/adapter-mcp'
import { createCoercer } from '@callgate/coercion'
import { createGateway } from '@callgate/core'
import { InvalidOptionsError, type BoundAdapter, type JsonSchema } from '@callgate/spec'
import { adapterSuite } from '@callgate/testkit'
import { describe, expect, it } from 'vitest'

/** What a caller without types, or a file, may give. */
const noOptions: readonly unknown[] = [undefined, null, 'x', 7, [], { name: 7 }, { name: '' }]

const host = {
  validator: (schema: JsonSchema) => {
    const coercer = createCoercer(schema)
    return (value: unknown) => coercer.coerce(value).errors
  },
  secret: String,
}

type Make = (options: never) => BoundAdapter
type Check = (options: never, tools: [], on: typeof host) => unknown

function refusal(rule: string): object {
  return expect.objectContaining({
    name: 'InvalidOptionsError',
    rule,
    where: expect.stringMatching(/./),
    hint: expect.stringMatching(/./),
  })
}

function gatewayWith(make: Make, options: unknown): () => unknown {
  return () => createGateway({ adapters: [make(options as never)] })
}

describe('options that do not fit are refused at set-up with a rule and what to write', () => {
  const nothing = noOptions.map((options) => ({ options }))
  const adapters = { cliAdapter, fileAdapter, httpAdapter } as const
  for (const [name, make] of Object.entries(adapters)) {
    it.each(nothing)(`${name}, $options`, ({ options }) => {
      expect(gatewayWith(make as Make, options)).toThrow(InvalidOptionsError)
      expect(gatewayWith(make as Make, options)).toThrow(
        refusal(expect.stringMatching(/^adapter-(options|name)$/) as unknown as string),
      )
    })
  }

  it.each([
    [cliAdapter, { nope: 1 }],
    [cliAdapter, { exec: 7 }],
    [cliAdapter, { exec: { programs: 'x' } }],
    [cliAdapter, { isolators: { jail: 7 } }],
    [cliAdapter, { isolators: { jail: null } }],
    [cliAdapter, { isolators: { jail: { program: 'x' } } }],
    [cliAdapter, { env: { A: 7 } }],
    [fileAdapter, { roots: { a: null } }],
    [fileAdapter, { roots: [] }],
    [httpAdapter, { network: 7 }],
    [httpAdapter, { network: { resolve: 7 } }],
    [httpAdapter, { network: { dial: () => undefined } }],
    [httpAdapter, { documents: [null] }],
    [httpAdapter, { documents: [pagedBy({ by: 'cursor' })] }],
    [httpAdapter, { documents: [pagedBy({ by: 'page' })] }],
    // More than a text can hold.
    [mcpAdapter, { servers: { s: { command: 'x', maxMessageBytes: 600 * 1024 * 1024 } } }],
  ])('%o %j', (make, options) => {
    expect(gatewayWith(make as Make, options)).toThrow(refusal('adapter-options'))
  })

  it.each([
    [fileAdapter, {}, '"roots" (object) is missing in the options.', 'Give "roots".'],
    [
      fileAdapter,
      { roots: {} },
      'option /roots is object with 0 fields; expected at least 1 field.',
    ],
    [
      fileAdapter,
      { root: {} },
      'there is the unknown field "root" in the options; expected one of "roots"',
      'Did you mean "roots"?',
    ],
    [
      mcpAdapter,
      { servers: { s: { command: 'x', graceMs: '5' } } },
      'option /servers/s/graceMs is string "5"; expected number 5.',
    ],
    [
      mcpAdapter,
      { servers: { s: { command: 'x', args: 'a' } } },
      'option /servers/s/args is string "a"; expected ["a"].',
    ],
  ])('%o %j says what is wrong in words', (make, options, message, hint?: string) => {
    const expected = expect.objectContaining({
      message: expect.stringContaining(message),
      ...(hint === undefined ? {} : { hint }),
    })
    expect(gatewayWith(make as Make, options)).toThrow(expected as Error)
  })

  it('an entry of allow that is neither a name, an address nor a range', () => {
    expect(gatewayWith(httpAdapter as Make, { allow: ['???'] })).toThrow(refusal('allow-entry'))
  })

  const checks = { checkPrograms, checkFiles, checkHttp } as unknown as Record<string, Check>
  for (const [name, check] of Object.entries(checks)) {
    it.each([undefined, null, 'x', [], { nope: 1 }].map((options) => ({ options })))(
      `${name}, $options`,
      async ({ options }) => {
        const run = async (): Promise<unknown> => check(options as never, [], host)
        await expect(run()).rejects.toThrow(refusal('adapter-options'))
      },
    )
  }

  it.each([undefined, null, {}, { roots: 7 }, { roots: {} }, { roots: { a: {} } }])(
    'testPathEscape, %j',
    (options) => {
      expect(() => testPathEscape(options as never, 'a')).toThrow(refusal('adapter-options'))
    },
  )

  it.each([
    [undefined, 'adapter-options'],
    [null, 'adapter-options'],
    [{}, 'document-name'],
    [{ name: 7 }, 'document-name'],
  ])('loadOpenApi, %j', (options, rule) => {
    expect(() => loadOpenApi({ openapi: '3.1.0' }, options as never)).toThrow(refusal(rule))
  })

  const test = (): void => undefined
  it.each([
    [[], 'test'],
    [[test], 'factory'],
    [[test, test], 'options'],
    [[test, test, {}], 'options.fixtures'],
    [[test, test, { fixtures: { ok: 7 } }], 'fixtures.ok'],
    [[test, test, { fixtures: { ok: { tool: 'a' } } }], 'fixtures.ok'],
  ])('adapterSuite %#', (given, where) => {
    const suite = adapterSuite as (...all: readonly unknown[]) => void
    expect(() => suite(...given)).toThrow(expect.objectContaining({ rule: 'suite-options', where }))
  })
})

function pagedBy(rule: object): object {
  return { name: 'a', document: { openapi: '3.1.0' }, pagination: { list: rule } }
}
