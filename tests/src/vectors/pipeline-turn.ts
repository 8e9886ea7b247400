import { createGateway, defineTool, planTurn, type Gateway, type Planned } from '@callgate/core'
import type { ToolDefinition, ToolEffects } from '@callgate/spec'

import { differ } from './compare.ts'
import { openObject, splitWireName } from './wire.ts'

interface WireCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

interface Facts {
  readonly parallel_safe: readonly string[]
  readonly path_readers: readonly string[]
  readonly path_writers: readonly string[]
  readonly mcp_servers_opted_in: readonly string[]
  readonly deferrable: readonly string[]
  readonly never_parallel: readonly string[]
  readonly cwd: string
}

export function checkPlan(
  { calls, facts }: { readonly calls: readonly WireCall[]; readonly facts: Facts },
  { segments }: { readonly segments: unknown },
): readonly string[] {
  const gateway = createGateway({ tools: toolsOf(calls, facts) })
  const plan = planTurn(calls.map((call) => plannedOf(call, gateway)))
  return differ(
    'segments',
    plan.map(([kind, indexes]) => [kind, indexes.map((index) => calls[index]!.id)]),
    segments,
  )
}

function toolsOf(calls: readonly WireCall[], facts: Facts): ToolDefinition[] {
  const direct = calls.map(({ name }) => name).filter((name) => !isBridge(name))
  const names = new Set([...direct, ...facts.deferrable, ...facts.never_parallel])
  return [...names].map((wireName) => ({
    ...splitWireName(wireName),
    description: wireName,
    parameters: openObject,
    backend: { adapter: 'none' },
    ...effectsOf(wireName, facts),
  }))
}

function effectsOf(name: string, facts: Facts): { effects?: ToolEffects } {
  const path = (args: unknown): string | undefined => (args as { path?: string }).path
  if (facts.path_readers.includes(name)) {
    const scope = name === 'search_files' ? facts.cwd : undefined
    return { effects: { readOnly: true, resources: (args) => paths('read', path(args) ?? scope) } }
  }
  if (facts.path_writers.includes(name))
    return { effects: { resources: (args) => paths('write', path(args)) } }
  const server = /^mcp__(.+?)__/.exec(name)?.[1]
  const safe =
    facts.parallel_safe.includes(name) || facts.mcp_servers_opted_in.includes(server ?? '')
  return safe ? { effects: { readOnly: true } } : {}
}

function paths(
  kind: 'read' | 'write',
  path: string | undefined,
): ReturnType<NonNullable<ToolEffects['resources']>> {
  return path === undefined ? undefined : { [kind]: [path] }
}

function isBridge(name: string): boolean {
  return name === 'tool_call' || name === 'tool_search' || name === 'tool_describe'
}

/** Parsed and resolved, as the turn runner does it: a bridge call is judged by the tool behind it. */
function plannedOf(call: WireCall, gateway: Gateway): Planned {
  const args = parse(call.arguments)
  if (call.name !== 'tool_call')
    return { ...find(call.name, gateway), ...(args === undefined ? {} : { arguments: args }) }
  const { calls = [] } = (args ?? {}) as { calls?: readonly { name: string; arguments: unknown }[] }
  if (calls.length > 0 && calls.every(({ name }) => name.startsWith('connectors__'))) {
    return {
      tool: { ...gateway.registry.get('tool_call')!, effects: { readOnly: true } },
      arguments: {},
    }
  }
  const [entry] = calls
  return entry === undefined ? {} : { ...find(entry.name, gateway), arguments: entry.arguments }
}

function find(name: string, gateway: Gateway): Planned {
  const tool = gateway.registry.get(name)
  return tool === undefined ? {} : { tool }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

export async function checkDedupe(
  { calls }: { readonly calls: readonly WireCall[] },
  expected: { readonly answered: readonly string[]; readonly runs_at_least: readonly string[] },
): Promise<readonly string[]> {
  let runs = 0
  const names = ['web_search', 'mcp__dice__roll']
  const gateway = createGateway({
    tools: names.map((wireName) =>
      defineTool({
        ...splitWireName(wireName),
        description: wireName,
        parameters: openObject,
        ...(wireName === 'web_search' ? { effects: { readOnly: true } } : {}),
        execute: () => ++runs,
      }),
    ),
  })
  const { results } = await gateway.runTurn({ toolCalls: calls })
  return [
    ...differ(
      'answered',
      results.map(({ callId }) => callId),
      expected.answered,
    ),
    ...differ(
      'statuses',
      results.map(({ status }) => status),
      expected.answered.map(() => 'ok'),
    ),
    ...differ('runs enough', runs >= expected.runs_at_least.length, true),
  ]
}
