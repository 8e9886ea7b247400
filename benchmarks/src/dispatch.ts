import { createGateway, defineTool, expandToolCalls, type Gateway } from '@callgate/core'
import { createHookBus } from '@callgate/hooks'
import type { CallgateEvents } from '@callgate/spec'
import { Ajv2020 } from 'ajv/dist/2020.js'

import { measure, printTable, type Subject } from './measure.ts'

export const parameters = {
  type: 'object',
  properties: { path: { type: 'string' }, limit: { type: 'integer' }, deep: { type: 'boolean' } },
  required: ['path'],
  additionalProperties: false,
} as const
export const text = '{"path":"/a/b/c","limit":10,"deep":true}'
/** A model that makes one call again and again is stopped. */
const texts = Array.from({ length: 64 }, (_, n) => text.replace('/c', `/${n + 10}`))
const textOf = (n: number): string => texts[n % texts.length]!
const context = { sessionId: 's', roles: ['operator'] }

/** What is varied; permission by roles, validation, retry wrapper, envelope and audit are always there. */
export interface Variant {
  /** Two hooks before the call, or none. */
  readonly hooks: 'none' | 'sync' | 'async'
  /** Whether the tool answers at once or with a promise, which needs a timer. */
  readonly tool: 'sync' | 'async'
}

const execute = async ({ path }: { readonly path: string }): Promise<string> => path

function gatewayWith({ hooks, tool }: Variant): Gateway {
  const bus = createHookBus<CallgateEvents>()
  const answer = { action: 'allow' } as const
  if (hooks !== 'none') {
    const handler = hooks === 'sync' ? () => answer : async () => answer
    bus.on('pre_tool_call', handler)
    bus.on('pre_tool_call', handler)
  }
  return createGateway({
    tools: [
      defineTool({
        namespace: 'local',
        name: 'read',
        description: 'Reads.',
        parameters,
        permissions: { tags: ['readonly'] },
        retry: { maxRetries: 2, backoff: 'exponential', initialDelayMs: 100 },
        effects: { readOnly: true },
        execute: tool === 'sync' ? ({ path }) => path : (args) => execute(args as never),
      }),
    ],
    hooks: bus,
    policy: { roles: { operator: { tagsAllow: ['readonly'] } } },
  })
}

/** The least that any dispatcher does: parse, validate, await the function. */
export function floor(): Subject {
  const validate = new Ajv2020({ strict: false }).compile(parameters)
  return {
    name: 'floor: JSON.parse, ajv, await',
    async run(count) {
      for (let n = 0; n < count; n++) {
        const args = JSON.parse(textOf(n)) as { path: string }
        if (!validate(args)) throw new Error('invalid')
        await execute(args)
      }
    },
  }
}

/** One call after another through the whole pipeline. */
export function dispatching(name: string, variant: Variant): Subject {
  const gateway = gatewayWith(variant)
  return {
    name,
    async run(count) {
      for (let n = 0; n < count; n++) {
        const call = { id: 'c', name: 'read', arguments: textOf(n) }
        const result = await gateway.dispatch(call, context)
        if (result.status !== 'ok') throw new Error(result.error?.message)
      }
    },
  }
}

const batch = JSON.stringify({
  calls: Array.from({ length: 5 }, (_, n) => ({
    name: 'mcp__files__read',
    arguments: { path: `/a/${n}` },
  })),
})

function expansion(): readonly Subject[] {
  return [
    {
      name: 'floor: JSON.parse and stringify of the batch',
      run(count) {
        for (let n = 0; n < count; n++) JSON.stringify(JSON.parse(batch))
      },
    },
    {
      name: 'expand a batch of five',
      run(count) {
        const turn = { toolCalls: [{ id: 'p', name: 'tool_call', arguments: batch }] }
        for (let n = 0; n < count; n++) expandToolCalls(turn)
      },
    },
    {
      name: 'leave a turn of five plain calls alone',
      run(count) {
        const toolCalls = Array.from({ length: 5 }, (_, n) => ({
          id: `c${n}`,
          name: 'read',
          arguments: text,
        }))
        const turn = { toolCalls }
        for (let n = 0; n < count; n++) expandToolCalls(turn)
      },
    },
  ]
}

/** Turns of so many calls through the whole pipeline; measured per call. */
export function turnOf(
  size: number,
  variant: Variant,
  name: string = `a call in a turn of ${size}`,
): Subject {
  const gateway = gatewayWith(variant)
  const turns = Array.from({ length: 8 }, (_turn, turn) => ({
    toolCalls: Array.from({ length: size }, (_, n) => ({
      id: `c${n}`,
      name: 'read',
      arguments: textOf(turn * size + n),
    })),
  }))
  let turn = 0
  return {
    name,
    async run(count) {
      for (let n = 0; n < count; n += size) {
        await gateway.runTurn(turns[turn++ % turns.length]!, context)
      }
    },
  }
}

/** Dispatch and expansion against their floors, in one run. */
export async function run(): Promise<void> {
  printTable(
    'dispatch: permission, hooks, validation, retry wrapper, envelope, audit',
    await measure([
      floor(),
      dispatching('no hooks', { hooks: 'none', tool: 'async' }),
      dispatching('no hooks, the tool answers at once', { hooks: 'none', tool: 'sync' }),
      dispatching('two synchronous hooks', { hooks: 'sync', tool: 'async' }),
      dispatching('two synchronous hooks, the tool answers at once', {
        hooks: 'sync',
        tool: 'sync',
      }),
      dispatching('two asynchronous hooks', { hooks: 'async', tool: 'async' }),
    ]),
  )
  const turns = [1, 10, 100, 1000].map((size) => turnOf(size, { hooks: 'none', tool: 'async' }))
  printTable('turns', await measure([floor(), ...turns], { chunk: 1000, rounds: 30 }))
  printTable('expansion', await measure(expansion()))
}
