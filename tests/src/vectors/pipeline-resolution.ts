import { createGateway, defineTool, type Gateway } from '@callgate/core'
import {
  defineAdapter,
  type CallContext,
  type ToolDefinition,
  type ToolResult,
} from '@callgate/spec'

import { differ, differIfSaid, includesAll } from './compare.ts'
import { openObject, splitWireName } from './wire.ts'

interface Entry {
  readonly name: string
  readonly arguments?: object
}

interface ResolutionInput {
  readonly calls: readonly Entry[] | { readonly $times: number; readonly entry: Entry }
  readonly registered: readonly string[]
  readonly session_tools?: readonly string[]
}

interface ResolutionExpectation {
  readonly dispatch?: { readonly name: string; readonly arguments: object }
  readonly code?: string
  readonly status?: number
  readonly suggests?: readonly string[]
  readonly message_includes?: readonly string[]
  readonly invoked?: boolean
  readonly same_text_as_unknown_name?: boolean
  readonly per_entry?: readonly string[]
  readonly counters?: object
}

interface Run {
  readonly name: string
  readonly arguments: unknown
}

const sessionRole = 'session'

export async function checkResolution(
  input: ResolutionInput,
  expected: ResolutionExpectation,
): Promise<readonly string[]> {
  const runs: Run[] = []
  const gateway = makeGateway(input, runs)
  const context: CallContext = { sessionId: 's', roles: [sessionRole] }
  const call = (calls: readonly Entry[]): Promise<ToolResult> =>
    gateway.dispatch({ id: 'r', name: 'tool_call', arguments: JSON.stringify({ calls }) }, context)
  const result = await call(entriesOf(input.calls))
  const unknown = await call([{ name: 'no_such_tool_anywhere', arguments: {} }])
  return [
    ...compareError(result, runs, expected),
    ...compareBatch(result, expected),
    ...(expected.same_text_as_unknown_name === true ? compareTexts(result, unknown) : []),
  ]
}

function entriesOf(calls: ResolutionInput['calls']): readonly Entry[] {
  return '$times' in calls ? Array.from({ length: calls.$times }, () => calls.entry) : calls
}

function makeGateway(input: ResolutionInput, runs: Run[]): Gateway {
  const connectors = defineAdapter<object>({
    contract: 1,
    name: 'connectors',
    capabilities: { batch: true, isolation: 'none' },
    configSchema: { type: 'object' },
    create: () => ({
      invoke: async () => ({ data: 'ran' }),
      invokeBatch: async (calls) => calls.map(() => ({ data: 'ran' })),
    }),
  })
  return createGateway({
    tools: input.registered.map((wireName) => toolOf(wireName, input, runs)),
    adapters: [connectors({})],
    ...(input.session_tools === undefined
      ? {}
      : { policy: { roles: { [sessionRole]: { tagsAllow: [sessionRole] } } } }),
  })
}

function toolOf(
  wireName: string,
  { session_tools: visible }: ResolutionInput,
  runs: Run[],
): ToolDefinition {
  const common = {
    ...splitWireName(wireName),
    description: wireName,
    parameters: openObject,
    deferred: wireName.includes('__'),
    permissions: { tags: visible?.includes(wireName) === true ? [sessionRole] : [] },
  }
  if (wireName.startsWith('connectors__')) return { ...common, backend: { adapter: 'connectors' } }
  const tool = defineTool({
    ...common,
    execute: (args: object) => {
      runs.push({ name: wireName, arguments: args })
      return 'ran'
    },
  })
  return tool as unknown as ToolDefinition
}

function compareError(
  { error }: ToolResult,
  runs: readonly Run[],
  { dispatch, ...expected }: ResolutionExpectation,
): readonly string[] {
  return [
    ...differIfSaid('ran', runs, dispatch && [dispatch]),
    ...differIfSaid('code', error?.code, expected.code),
    ...differIfSaid('status', error?.status, expected.status),
    ...includesAll('hint', error?.hint ?? '', expected.suggests ?? []),
    ...includesAll('message', error?.message ?? '', expected.message_includes ?? []),
    ...differIfSaid('invoked', runs.length > 0, expected.invoked),
  ]
}

interface BatchData {
  readonly results: readonly {
    readonly index: number
    readonly error?: { readonly code: string }
  }[]
}

function compareBatch({ data }: ToolResult, expected: ResolutionExpectation): readonly string[] {
  if (expected.per_entry === undefined) return []
  const { results, ...counters } = data as BatchData
  return [
    ...differ(
      'entries',
      results.map(({ error }) => (error === undefined ? 'result' : `error ${error.code}`)),
      expected.per_entry,
    ),
    ...differ(
      'order',
      results.map(({ index }) => index),
      expected.per_entry.map((_, index) => index),
    ),
    ...differ('counters', counters, expected.counters),
  ]
}

function compareTexts(
  { error: seen }: ToolResult,
  { error: unknown }: ToolResult,
): readonly string[] {
  return [
    ...differ('code beside an unknown name', seen?.code, unknown?.code),
    ...differ('status beside an unknown name', seen?.status, unknown?.status),
    ...differ('message beside an unknown name', seen?.message, unknown?.message),
  ]
}
