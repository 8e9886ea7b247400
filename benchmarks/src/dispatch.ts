import { createGateway, defineTool, expandToolCalls, type Gateway } from '@callgate/core'
import { createHookBus } from '@callgate/hooks'
import type { CallgateEvents } from '@callgate/spec'
import { Ajv2020 } from 'ajv/dist/2020.js'

import { measure, printTable, type Subject } from './measure.ts'

const parameters = {
  type: 'object',
  properties: { path: { type: 'string' }, limit: { type: 'integer' }, deep: { type: 'boolean' } },
  required: ['path'],
  additionalProperties: false,
} as const
const text = '{"path":"/a/b/c","limit":10,"deep":true}'
const context = { sessionId: 's', roles: ['operator'] }

function gatewayWith(hooks: 'none' | 'sync' | 'async'): Gateway {
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
        execute: ({ path }) => path,
      }),
    ],
    hooks: bus,
    policy: { roles: { operator: { tagsAllow: ['readonly'] } } },
  })
}

/** The least that any dispatcher does: parse, validate, await the function. */
function floor(): Subject {
  const validate = new Ajv2020({ strict: false }).compile(parameters)
  const execute = async ({ path }: { path: string }): Promise<string> => path
  return {
    name: 'floor: JSON.parse, ajv, await',
    async run(count) {
      for (let n = 0; n < count; n++) {
        const args = JSON.parse(text) as { path: string }
        if (!validate(args)) throw new Error('invalid')
        await execute(args)
      }
    },
  }
}

function dispatching(name: string, gateway: Gateway): Subject {
  return {
    name,
    async run(count) {
      for (let n = 0; n < count; n++) {
        const result = await gateway.dispatch({ id: 'c', name: 'read', arguments: text }, context)
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

function turnOf(size: number): Subject {
  const gateway = gatewayWith('none')
  const toolCalls = Array.from({ length: size }, (_, n) => ({
    id: `c${n}`,
    name: 'read',
    arguments: text,
  }))
  return {
    name: `a call in a turn of ${size}`,
    async run(count) {
      for (let n = 0; n < count; n += size) await gateway.runTurn({ toolCalls }, context)
    },
  }
}

/** Dispatch and expansion against their floors, in one run. */
export async function run(): Promise<void> {
  printTable(
    'dispatch: permission, hooks, validation, retry wrapper, envelope, audit',
    await measure([
      floor(),
      dispatching('dispatch, no hooks', gatewayWith('none')),
      dispatching('dispatch, two synchronous hooks', gatewayWith('sync')),
      dispatching('dispatch, two asynchronous hooks', gatewayWith('async')),
    ]),
  )
  printTable(
    'turns',
    await measure([floor(), turnOf(1), turnOf(10), turnOf(100), turnOf(1000)], {
      chunk: 1000,
      rounds: 30,
    }),
  )
  printTable('expansion', await measure(expansion()))
  await catalogue()
}

/** Ten thousand tools: registration, look-up, search. */
async function catalogue(): Promise<void> {
  const tools = Array.from({ length: 10_000 }, (_, n) =>
    defineTool({
      namespace: `mcp::server${n % 100}`,
      name: `tool_${n}`,
      description: `Does thing number ${n} with files, issues and reports of project ${n % 977}.`,
      parameters: {
        type: 'object',
        properties: { id: { type: 'integer', description: `Id ${n}` } },
      },
      execute: () => n,
    }),
  )
  const startedAt = performance.now()
  const gateway = createGateway({ tools })
  const registered = performance.now()
  gateway.registry.search(['warm'])
  const indexed = performance.now()
  const times: number[] = []
  for (let n = 0; n < 2000; n++) {
    const before = performance.now()
    gateway.registry.search([`reports of project ${n % 977}`])
    times.push(performance.now() - before)
  }
  times.sort((a, b) => a - b)
  const [lookup] = await measure([
    {
      name: 'look-up',
      run: (count) => {
        for (let n = 0; n < count; n++) gateway.registry.get(`mcp__server${n % 100}__tool_${n}`)
      },
    },
  ])
  const listing = performance.now()
  gateway.modelTools(context)
  console.log(`\n10,000 tools
  register    ${(registered - startedAt).toFixed(0)} ms
  index       ${(indexed - registered).toFixed(0)} ms, at the first search
  search      median ${times[1000]!.toFixed(2)} ms, p99 ${times[1980]!.toFixed(2)} ms
  look-up     ${lookup!.us.toFixed(3)} µs
  list        ${(performance.now() - listing).toFixed(1)} ms`)
}
