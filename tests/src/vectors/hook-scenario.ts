import { createGateway, defineTool, type FunctionTool, type Gateway } from '@callgate/core'
import { createHookBus, type HookBus, type HookKind } from '@callgate/hooks'
import {
  defineAdapter,
  type ApprovalDecision,
  type ApprovalRequest,
  type CallgateEvents,
  type CallPayload,
  type JsonSchema,
  type ToolDefinition,
  type ToolResult,
} from '@callgate/spec'

import { createVirtualClock, type VirtualClock } from '../virtual-clock.ts'
import { openObject, splitWireName } from './wire.ts'

interface ScenarioCall {
  readonly call_id: string
  readonly tool: string
  readonly args?: object
}

interface ScenarioHook {
  readonly name: string
  readonly event:
    | 'pre_tool_call'
    | 'post_tool_call'
    | 'transform_tool_result'
    | 'tool_error'
    | 'tool_execution'
  readonly kind?: HookKind
  readonly return?: unknown
  readonly when?: { readonly tool?: string; readonly call_id?: string }
  readonly sleep_ms?: number
  readonly throw?: string
  readonly throw_before_next?: string
  readonly throw_after_next?: string
  readonly async?: boolean
  readonly dispatch?: { readonly tool: string; readonly args: object }
}

export interface HookScenario {
  readonly calls: readonly (ScenarioCall | string)[]
  readonly outer_id?: string
  readonly hooks?: readonly ScenarioHook[]
  readonly tools?: {
    readonly [name: string]: { readonly schema?: JsonSchema; readonly throw?: string }
  }
  readonly config?: {
    readonly hook_timeout_ms?: number
    readonly execution?: 'sequential' | 'concurrent'
  }
  readonly approval?: { readonly answer: string | readonly string[] }
  readonly stop?: { readonly after_result_of: string }
  readonly guardrail?: string
}

export interface HookLogLine {
  readonly hook: string
  readonly event: string
  readonly tool: string
  readonly call_id: string
  readonly args: unknown
}

/** What a scenario left to compare. */
export interface HookOutcomeSeen {
  readonly results: readonly ToolResult[]
  readonly executed: { call_id: string; tool: string; args: unknown; parentCallId?: string }[]
  readonly post: { payload: CallgateEvents['post_tool_call']['payload']; tool: string }[]
  readonly pre: { payload: CallPayload; tool: string }[]
  readonly approvals: { request: ApprovalRequest; tool: string }[]
  readonly log: HookLogLine[]
}

const connectors = defineAdapter<object>({
  contract: 1,
  name: 'connectors',
  capabilities: { batch: true, isolation: 'none' },
  configSchema: { type: 'object' },
  create: () => ({
    invoke: async ({ tool }) => ({ data: `${tool.name}-result` }),
    invokeBatch: async (calls) => calls.map(({ tool }) => ({ data: `${tool.name}-result` })),
  }),
})

export async function runHookScenario(scenario: HookScenario): Promise<HookOutcomeSeen> {
  const time = createVirtualClock()
  const seen: HookOutcomeSeen = {
    results: [],
    executed: [],
    post: [],
    pre: [],
    approvals: [],
    log: [],
  }
  const timeoutMs = scenario.config?.hook_timeout_ms
  const bus = createHookBus<CallgateEvents>({
    clock: time.clock,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })
  const gateway = createGateway({
    tools: toolsOf(scenario),
    adapters: [connectors({})],
    hooks: bus,
    ports: { clock: time.clock },
    ...(scenario.approval === undefined
      ? {}
      : { approver: answering(scenario, seen, () => gateway) }),
  })
  const wire = (id: string): string => gateway.registry.wireName(id) ?? id
  const recorded = async (): Promise<void> => {
    watch(bus, seen, wire)
    for (const hook of scenario.hooks ?? []) register(bus, hook, time, seen, wire)
  }
  if (scenario.guardrail !== undefined) await exhaust(gateway, scenario, time)
  await recorded()
  const results = await time.settle(run(gateway, scenario))
  await time.settle(bus.idle())
  return { ...seen, results }
}

async function run(gateway: Gateway, scenario: HookScenario): Promise<readonly ToolResult[]> {
  const stop = new AbortController()
  const outcome = await gateway.runTurn(
    { toolCalls: turnCalls(scenario) },
    {
      sessionId: 's',
      signal: stop.signal,
      onResult: ({ callId }) => {
        if (callId === scenario.stop?.after_result_of) stop.abort()
      },
    },
  )
  return outcome.results
}

function turnCalls(scenario: HookScenario): { id: unknown; name: string; arguments: unknown }[] {
  const names = scenario.calls.filter((call) => typeof call === 'string')
  if (names.length > 0) {
    const calls = names.map((name) => ({ name }))
    return [{ id: scenario.outer_id, name: 'tool_call', arguments: JSON.stringify({ calls }) }]
  }
  return (scenario.calls as readonly ScenarioCall[]).map(({ call_id: id, tool, args }) => ({
    id,
    name: tool,
    arguments: args ?? {},
  }))
}

function toolsOf(scenario: HookScenario): (ToolDefinition | FunctionTool)[] {
  const names = new Set([
    ...scenario.calls.map((call) => (typeof call === 'string' ? call : call.tool)),
    ...(scenario.hooks ?? []).flatMap(({ dispatch }) =>
      dispatch === undefined ? [] : [dispatch.tool],
    ),
  ])
  return [...names].map((wireName) => {
    const declared = scenario.tools?.[wireName]
    const common = {
      ...splitWireName(wireName),
      description: wireName,
      parameters: declared?.schema ?? openObject,
      ...(scenario.config?.execution === 'concurrent' ? { effects: { readOnly: true } } : {}),
    }
    if (wireName.startsWith('connectors__'))
      return { ...common, backend: { adapter: 'connectors' } }
    return defineTool({
      ...common,
      execute: () => {
        if (declared?.throw !== undefined) throw new Error(declared.throw)
        return `${wireName}-result`
      },
    })
  })
}

/** Observers of the runner's own; the one around the execution is innermost, so it sees real runs. */
function watch(
  bus: HookBus<CallgateEvents>,
  seen: HookOutcomeSeen,
  wire: (id: string) => string,
): void {
  bus.on(
    'tool_execution',
    (payload) => {
      const { callId, parentCallId, tool, arguments: args } = payload
      seen.executed.push({
        call_id: callId,
        tool: wire(tool),
        args,
        ...(parentCallId === undefined ? {} : { parentCallId }),
      })
      return payload.next()
    },
    { id: 'runner', phase: 'late', priority: -1e6 },
  )
  bus.on('post_tool_call', (payload) => void seen.post.push({ payload, tool: wire(payload.tool) }))
  bus.on('pre_tool_call', (payload) => void seen.pre.push({ payload, tool: wire(payload.tool) }), {
    kind: 'observe',
  })
}

function kindOf(hook: ScenarioHook): HookKind {
  if (hook.kind !== undefined) return hook.kind
  if (hook.event === 'pre_tool_call') {
    return (hook.return as { action?: unknown } | null | undefined)?.action === 'modify'
      ? 'transform'
      : 'gate'
  }
  if (hook.event === 'tool_execution') return 'around'
  return hook.event === 'post_tool_call' ? 'observe' : 'transform'
}

function register(
  bus: HookBus<CallgateEvents>,
  hook: ScenarioHook,
  time: VirtualClock,
  seen: HookOutcomeSeen,
  wire: (id: string) => string,
): void {
  const handler = (payload: CallPayload): unknown => {
    seen.log.push({
      hook: hook.name,
      event: hook.event,
      tool: wire(payload.tool),
      call_id: payload.callId,
      args: payload.arguments,
    })
    if (!applies(hook, payload, wire)) return undefined
    if (hook.event === 'tool_execution') return around(hook, payload as never)
    const later = hook.sleep_ms !== undefined || hook.async === true || hook.dispatch !== undefined
    return later ? behaveLater(hook, payload, time) : behave(hook, payload)
  }
  bus.on(hook.event, handler as never, { id: hook.name, kind: kindOf(hook) })
}

function applies(hook: ScenarioHook, payload: CallPayload, wire: (id: string) => string): boolean {
  const { tool, call_id: callId } = hook.when ?? {}
  return (
    (tool === undefined || tool === wire(payload.tool)) &&
    (callId === undefined || callId === payload.callId)
  )
}

async function behaveLater(
  hook: ScenarioHook,
  payload: CallPayload,
  { clock }: VirtualClock,
): Promise<unknown> {
  if (hook.sleep_ms !== undefined)
    await new Promise<void>((resolve) => clock.setTimeout(resolve, hook.sleep_ms!))
  if (hook.dispatch !== undefined) {
    await payload.call({ name: hook.dispatch.tool, arguments: hook.dispatch.args })
  }
  return behave(hook, payload)
}

function behave(hook: ScenarioHook, payload: CallPayload): unknown {
  if (hook.throw !== undefined) throw new Error(hook.throw)
  return translate(hook, payload)
}

/** The vectors' own words into those of the hooks. */
function translate(hook: ScenarioHook, payload: CallPayload): unknown {
  const value = hook.return
  if (value === undefined || value === null) return undefined
  const {
    action,
    message,
    rule_key: rule,
    $wrap: wrap,
  } = value as { action?: unknown; message?: string; rule_key?: string; $wrap?: string }
  if (hook.event === 'pre_tool_call') {
    return action === 'approve' ? { action: 'ask', message, rule } : value
  }
  const text =
    typeof value === 'string'
      ? value
      : wrap === undefined
        ? undefined
        : wrap + givenText(hook, payload)
  if (text === undefined) return value
  return hook.event === 'tool_error'
    ? { action: 'modify', message: text }
    : { action: 'modify', data: text }
}

function givenText(hook: ScenarioHook, payload: CallPayload): string {
  return hook.event === 'tool_error'
    ? (payload as CallgateEvents['tool_error']['payload']).error.message
    : String((payload as CallgateEvents['transform_tool_result']['payload']).data)
}

async function around(
  hook: ScenarioHook,
  payload: CallgateEvents['tool_execution']['payload'],
): Promise<unknown> {
  if (hook.throw_before_next !== undefined) throw new Error(hook.throw_before_next)
  const output = await payload.next()
  if (hook.throw_after_next !== undefined) throw new Error(hook.throw_after_next)
  return output
}

function answering(
  scenario: HookScenario,
  seen: HookOutcomeSeen,
  gateway: () => Gateway,
): (request: ApprovalRequest) => Promise<ApprovalDecision> {
  const { answer } = scenario.approval!
  return async (request) => {
    const given = typeof answer === 'string' ? answer : answer[seen.approvals.length]
    seen.approvals.push({
      request,
      tool: gateway().registry.wireName(request.tool) ?? request.tool,
    })
    if (given === 'throw') throw new Error('the approver broke')
    if (given === 'deny') return { decision: 'deny' }
    return { decision: 'approve', ...(given === 'session' ? { scope: 'session' } : {}) }
  }
}

/** Dispatches the same failing call in the session until it is refused. */
async function exhaust(
  gateway: Gateway,
  scenario: HookScenario,
  time: VirtualClock,
): Promise<void> {
  const [call] = turnCalls(scenario)
  for (let tries = 0; tries < 50; tries++) {
    const result = await time.settle(gateway.dispatch(call!, { sessionId: 's' }))
    if (result.error?.code === 'repeated_failure') return
  }
  throw new Error('fifty failures of the same call were never refused')
}
