import { readFile } from 'node:fs/promises'

import { createGateway, defineTool, type FunctionTool, type GatewayOptions } from '@callgate/core'
import { createHookBus } from '@callgate/hooks'
import {
  defineAdapter,
  errorCodes,
  ToolError,
  type ApprovalRequest,
  type CallContext,
  type CallgateEvents,
  type ErrorCode,
  type Ports,
  type ToolCallIn,
  type ToolDefinition,
  type ToolResult,
} from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createVirtualClock } from '../src/virtual-clock.ts'

type Raise = () => Promise<ToolResult>

const never = new Promise<never>(() => {})

function tool(execute: () => unknown, more: Partial<FunctionTool> = {}): FunctionTool {
  return defineTool({
    namespace: 'local',
    name: 't',
    description: 't',
    parameters: { type: 'object' },
    ...more,
    execute,
  } as never)
}

const ok = tool(() => 1)
const call: ToolCallIn = { id: 'c', name: 't', arguments: {} }

function dispatch(
  options: GatewayOptions,
  input: ToolCallIn = call,
  context: CallContext = {},
): Promise<ToolResult> {
  return createGateway({ tools: [ok], ...options }).dispatch(input, context)
}

function failing(code: ErrorCode, started: 'no' | 'yes' | 'unknown' = 'no'): FunctionTool {
  return tool(() => {
    throw new ToolError({ code, started, message: 'It failed.' })
  })
}

function hooked(
  register: (hooks: ReturnType<typeof createHookBus<CallgateEvents>>) => void,
): Raise {
  const hooks = createHookBus<CallgateEvents>()
  register(hooks)
  return () => dispatch({ hooks })
}

const broken = defineAdapter<object>({
  contract: 1,
  name: 'broken',
  capabilities: { isolation: 'none' },
  configSchema: { type: 'object' },
  create: () => ({
    invoke: () => {
      throw new Error('x')
    },
  }),
})
const declared: ToolDefinition = {
  namespace: 'local',
  name: 't',
  description: 't',
  parameters: true,
  backend: { adapter: 'broken' },
}

/** A store that outlives the process and holds nothing. */
const pendingApprovals: Ports['approvals'] = {
  durable: true,
  granted: async () => false,
  put: async () => {},
  decide: async () => 'gone',
  claim: async () => undefined,
  withdraw: async () => {},
  list: async () => [],
  grant: async () => {},
}

/** How each code comes about through the public API. */
const raise: { readonly [C in ErrorCode]: Raise } = {
  tool_not_found: () => dispatch({}, { ...call, name: 'nothing' }),
  no_adapter: () => dispatch({ tools: [declared] }),
  permission_denied: () =>
    dispatch({ policy: { roles: { viewer: { tagsAllow: ['x'] } } } }, call, { roles: ['viewer'] }),
  guard_refused: () => dispatch({ tools: [failing('guard_refused')] }),
  malformed_call: () => dispatch({}, { ...call, arguments: '{"a": ' }),
  too_many_calls: () =>
    dispatch(
      {},
      {
        ...call,
        name: 'tool_call',
        arguments: { calls: Array.from({ length: 11 }, () => ({ name: 't' })) },
      },
    ),
  invalid_arguments: () =>
    dispatch({ tools: [tool(() => 1, { parameters: { type: 'object', required: ['a'] } })] }),
  hook_blocked: hooked((hooks) => hooks.on('pre_tool_call', () => ({ action: 'block' }))),
  hook_failed: hooked((hooks) =>
    hooks.on('pre_tool_call', () => {
      throw new Error('x')
    }),
  ),
  approval_required: () =>
    dispatch({ tools: [tool(() => 1, { confirm: true })], ports: { approvals: pendingApprovals } }),
  approval_denied: () =>
    dispatch({
      tools: [tool(() => 1, { confirm: true })],
      approver: async () => ({ decision: 'deny' }),
    }),
  approval_expired: () => {
    const time = createVirtualClock()
    return time.settle(
      dispatch({
        tools: [tool(() => 1, { confirm: true })],
        approver: () => never,
        ports: { clock: time.clock },
      }),
    )
  },
  definition_changed: async () => {
    let request: ApprovalRequest | undefined
    const approvals: Ports['approvals'] = {
      ...pendingApprovals,
      put: async (asked) => void (request = asked),
      claim: async () => request,
    }
    const tools = [tool(() => 1, { confirm: true })]
    const { metadata } = await createGateway({ tools, ports: { approvals } }).dispatch(call)
    const changed = createGateway({ tools: [ok], ports: { approvals } })
    return changed.resume(metadata.ticketId!, { decision: 'approve' })
  },
  rate_limited: async () => {
    const gateway = createGateway({ tools: [tool(() => 1, { limits: { perMinute: 1 } })] })
    await gateway.dispatch(call)
    return gateway.dispatch(call)
  },
  overloaded: () => dispatch({ tools: [failing('overloaded')] }),
  circuit_open: async () => {
    const gateway = createGateway({ tools: [failing('backend_error', 'yes')] })
    for (let n = 0; n < 5; n++) await gateway.dispatch(call)
    return gateway.dispatch(call)
  },
  backend_unavailable: () => dispatch({ tools: [failing('backend_unavailable')] }),
  backend_error: () => dispatch({ tools: [failing('backend_error', 'yes')] }),
  tool_failed: () =>
    dispatch({
      tools: [
        tool(() => {
          throw new Error('disk full')
        }),
      ],
    }),
  timeout: () => {
    const time = createVirtualClock()
    return time.settle(dispatch({ tools: [tool(() => never)], ports: { clock: time.clock } }))
  },
  outcome_unknown: () => dispatch({ tools: [failing('backend_error', 'unknown')] }),
  cancelled: () => dispatch({}, call, { signal: AbortSignal.abort() }),
  repeated_failure: async () => {
    const gateway = createGateway({ tools: [failing('tool_failed', 'yes')] })
    for (let n = 0; n < 3; n++) await gateway.dispatch(call, { sessionId: 's' })
    return gateway.dispatch(call, { sessionId: 's' })
  },
  result_withheld: hooked((hooks) =>
    hooks.on(
      'transform_tool_result',
      () => {
        throw new Error('x')
      },
      { critical: true },
    ),
  ),
  internal: () => dispatch({ tools: [declared], adapters: [broken({})] }),
}

describe('the error table', () => {
  it.each(Object.keys(errorCodes) as ErrorCode[])(
    '%s is raised, with the status and number of the table',
    async (code) => {
      const { status, error, content, metadata } = await raise[code]()
      const entry = errorCodes[code]
      expect(error).toMatchObject({ code, status: entry.status, retryable: entry.retryable })
      expect(status).toBe(entry.result)
      expect(error?.message).toMatch(/\S/)
      expect(JSON.stringify({ error, content })).not.toMatch(/\bat .*:\d+:\d+/)
      expect(metadata.auditId).toMatch(/\S/)
    },
  )

  it('stands in the docs as it is in the code', async () => {
    const page = await readFile(new URL('../../docs/reference/errors.md', import.meta.url), 'utf8')
    const rows = [
      ...page.matchAll(/^\| `(\w+)`\s*\| (\d+)\s*\| (\w+)\s*\| (yes|no)\s*\| (.+?)\s*\|$/gm),
    ].map(([, code, status, result, retryable, meaning]) => ({
      code,
      status: Number(status),
      result,
      retryable: retryable === 'yes',
      meaning,
    }))
    expect(rows).toEqual(Object.entries(errorCodes).map(([code, entry]) => ({ code, ...entry })))
  })
})
