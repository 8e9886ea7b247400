import { createHookBus } from '@callgate/hooks'
import { ToolError, type CallgateEvents } from '@callgate/spec'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import { memoryAudit, type FunctionTool } from '../src/index.ts'
import { gatewayOf, refusal, tool } from './tools.ts'

type Parameters = FunctionTool['parameters']

/** The same parameters by three libraries: `word` becomes its length. */
const schemas: readonly (readonly [library: string, parameters: Parameters])[] = [
  [
    'zod',
    z.object({
      count: z.number().int(),
      tags: z.array(z.string()).optional(),
      word: z.string().transform((text) => text.length),
    }),
  ],
  [
    'valibot',
    toStandardJsonSchema(
      v.object({
        count: v.pipe(v.number(), v.integer()),
        tags: v.optional(v.array(v.string())),
        word: v.pipe(
          v.string(),
          v.transform((text) => text.length),
        ),
      }),
    ),
  ],
  [
    'arktype',
    type({
      count: 'number.integer',
      'tags?': 'string[]',
      word: type('string').pipe((text) => text.length),
    }),
  ],
]

/** Transforms whose result is no JSON. */
const noJson: readonly (readonly [library: string, parameters: Parameters])[] = [
  ['zod', z.object({ at: z.string().transform((text) => new Date(text)) })],
  [
    'valibot',
    toStandardJsonSchema(
      v.object({
        at: v.pipe(
          v.string(),
          v.transform((text) => new Date(text)),
        ),
      }),
    ),
  ],
  ['arktype', type({ at: type('string').pipe((text) => new Date(text)) })],
]

/** What no JSON Schema can say. */
const unsayable: readonly (readonly [library: string, parameters: Parameters])[] = [
  ['zod', z.object({ at: z.date() })],
  ['valibot', v.object({ count: v.number() })],
  ['valibot', toStandardJsonSchema(v.object({ at: v.date() }))],
]

describe.each(schemas)('parameters by %s', (_, parameters) => {
  it('repair what came, hand on what the transforms make, frozen, to hooks and tool alike', async () => {
    const hooks = createHookBus<CallgateEvents>()
    const seen: unknown[] = []
    hooks.on('pre_tool_call', ({ arguments: args }) => void seen.push(args))
    const audit = memoryAudit()
    const gateway = gatewayOf(
      [tool('t', (args) => void seen.push(args), { parameters, confirm: true })],
      {
        hooks,
        ports: { audit },
        approver: async (request) => (seen.push(request.arguments), { decision: 'approve' }),
      },
    )
    const { status } = await gateway.dispatch({
      name: 't',
      arguments: '{"count": "5", "tags": "[\\"a\\"]", "word": "seven"}',
    })
    const made = { count: 5, tags: ['a'], word: 5 }
    expect(status).toBe('ok')
    expect(seen).toEqual([made, made, made])
    expect(seen.every(Object.isFrozen)).toBe(true)
    expect(audit.entries()).toMatchObject([{ arguments: made }])
  })

  it('are checked again, from what came, when a hook changes them', async () => {
    const hooks = createHookBus<CallgateEvents>()
    hooks.on('pre_tool_call', () => ({ action: 'modify', args: { word: 'a longer one' } }), {
      kind: 'transform',
    })
    const gateway = gatewayOf([tool('t', (args) => args, { parameters })], { hooks })
    const { data } = await gateway.dispatch({ name: 't', arguments: { count: 1, word: 'a' } })
    expect(data).toEqual({ count: 1, word: 12 })
  })

  it('refuse what does not fit, naming the field', async () => {
    const gateway = gatewayOf([tool('t', (args) => args, { parameters })])
    const { error } = await gateway.dispatch({ name: 't', arguments: { count: 1.5, word: 'a' } })
    expect(error).toMatchObject({ code: 'invalid_arguments' })
    expect(error?.fields?.map(({ path }) => path)).toContain('/count')
  })

  it('are shown to the model as JSON Schema', () => {
    const gateway = gatewayOf([tool('t', () => 1, { parameters })])
    const shown = gateway.modelTools().find(({ name }) => name === 't')?.parameters
    expect(shown).toMatchObject({
      type: 'object',
      properties: { word: { type: 'string' } },
      required: expect.arrayContaining(['count', 'word']) as string[],
    })
  })
})

describe('what cannot be', () => {
  it.each(noJson)(
    'a transform of %s that makes no JSON: the call does not run',
    async (_, parameters) => {
      let ran = false
      const gateway = gatewayOf([tool('t', () => (ran = true), { parameters })])
      const { error } = await gateway.dispatch({ name: 't', arguments: { at: '2026-01-01' } })
      expect(error?.message).toContain('Date')
      expect(ran).toBe(false)
    },
  )

  it.each(unsayable)(
    'a schema of %s that is no JSON Schema is refused at registration',
    (_, parameters) => {
      const refused = refusal(() => gatewayOf([tool('t', () => 1, { parameters })]))
      expect(refused).toMatchObject({ rule: 'standard-schema', where: 'local::t' })
    },
  )

  it('a field of arktype that is a class is shown as anything, and no call gets past it', async () => {
    let ran = false
    const gateway = gatewayOf([tool('t', () => (ran = true), { parameters: type({ at: 'Date' }) })])
    const { error } = await gateway.dispatch({ name: 't', arguments: { at: '2026-01-01' } })
    expect(error).toMatchObject({ code: 'invalid_arguments', fields: [{ path: '/at' }] })
    expect(ran).toBe(false)
  })

  it('a schema that throws is at fault by itself, and its text stays with the operator', async () => {
    const parameters = z.object({}).transform(() => {
      throw new Error('secret path /etc/x')
    })
    const gateway = gatewayOf([tool('t', () => 1, { parameters })])
    const result = await gateway.dispatch({ name: 't', arguments: {} })
    expect(result.error?.code).toBe('internal')
    expect(JSON.stringify(result)).not.toContain('/etc/x')
  })

  it('a schema that answers later is waited for', async () => {
    const parameters = z.object({ id: z.string().refine(async (id) => id === 'known') })
    const gateway = gatewayOf([tool('t', (args) => args, { parameters })])
    const ask = async (id: string) =>
      (await gateway.dispatch({ name: 't', arguments: { id } })).status
    expect([await ask('known'), await ask('other')]).toEqual(['ok', 'error'])
  })

  it.each([
    ['throws', broken],
    ['rejects', () => Promise.reject(new Error('broken'))],
    ['comes too late', () => new Promise(() => {})],
  ])(
    'a schema that %s leaves the arguments in the audit as it was given them',
    async (_, answer) => {
      const seen: Record<string, unknown>[] = []
      const validate = (value: unknown): unknown => {
        seen.push(value as Record<string, unknown>)
        return answer()
      }
      const schema = { type: 'object', properties: { n: { type: 'integer' } } }
      const parameters = {
        '~standard': { version: 1, vendor: 'test', validate, jsonSchema: { input: () => schema } },
      } as unknown as Parameters
      const audit = memoryAudit()
      const gateway = gatewayOf([tool('t', () => 1, { parameters })], { ports: { audit } })
      const call = { name: 't', arguments: '{"n":"1",}' }
      const { status, metadata } = await gateway.dispatch(call, { deadlineMs: 20 })
      expect([status, metadata.outcome]).toEqual(['error', 'not_started'])
      expect(seen).toEqual([{ n: 1 }])
      seen[0]!['n'] = 'changed'
      expect(audit.entries()[0]).toMatchObject({
        arguments: { n: 1 },
        repairs: [{ rule: 'relaxed' }, { rule: 'text-to-number' }],
      })
    },
  )

  it('a schema that changes what it is given, and refuses it, changes no audit', async () => {
    const validate = (value: { n: unknown }): unknown => {
      value.n = 'changed'
      return { issues: [{ message: 'no' }] }
    }
    const jsonSchema = { input: () => ({ type: 'object' }) }
    const parameters = {
      '~standard': { version: 1, vendor: 'test', validate, jsonSchema },
    } as unknown as Parameters
    const audit = memoryAudit()
    const gateway = gatewayOf([tool('t', () => 1, { parameters })], { ports: { audit } })
    await gateway.dispatch({ name: 't', arguments: { n: 1 } })
    expect(audit.entries()).toMatchObject([{ arguments: { n: 1 } }])
  })

  it('a fallback whose schema throws leaves the first tool, and its arguments, in the audit', async () => {
    const first = tool(
      'first',
      () => {
        throw new ToolError({ code: 'backend_unavailable', message: 'Gone.', started: 'no' })
      },
      {
        parameters: z.object({ n: z.string().transform(() => 'made by the first') }),
        fallback: ['local::second'],
      },
    )
    const second = tool('second', () => 1, {
      parameters: z.object({ n: z.string() }).transform(broken),
    })
    const audit = memoryAudit()
    await gatewayOf([first, second], { ports: { audit } }).dispatch({
      name: 'first',
      arguments: { n: '1' },
    })
    const made = { tool: 'local::first', arguments: { n: 'made by the first' } }
    expect(audit.entries()).toMatchObject([made])
  })
})

function broken(): never {
  throw new Error('broken')
}
