import type { ToolResult } from '@callgate/spec'

import { differ, differIfSaid, includesAll, show } from './compare.ts'
import type { HookLogLine, HookOutcomeSeen } from './hook-scenario.ts'

interface ExpectedResult {
  readonly call_id: string
  readonly content?: string
  readonly content_kind?: 'error'
  readonly status?: string
  readonly code?: string
  readonly message_includes?: readonly string[]
  readonly message_starts_with?: string
  readonly started?: boolean
}

interface ExpectedPost {
  readonly call_id?: string
  readonly tool?: string
  readonly status?: string
  readonly code?: string | null
  readonly args?: unknown
}

export interface HookExpectation {
  readonly executed?: readonly unknown[] | boolean
  readonly results?: readonly ExpectedResult[]
  readonly post?: readonly ExpectedPost[]
  readonly post_saw_result?: string
  readonly hook_log?: readonly HookLogLine[]
  readonly approval_requests?: readonly {
    tool: string
    arguments: unknown
    messages: unknown
    rule_keys: unknown
  }[]
  readonly approval_requests_count?: number
  readonly executed_count?: number
  readonly blocked_count?: number
  readonly result_ids_distinct?: boolean
  readonly payload_values?: { readonly [key: string]: unknown }
  readonly payload_frozen?: boolean
  readonly payload_has?: readonly string[]
  readonly payload_lacks?: readonly string[]
  readonly pre_called?: boolean
  readonly pre_called_for?: readonly string[]
  readonly call_id_seen?: readonly string[]
  readonly parent_call_id?: string
  readonly nested?: { readonly tool: string; readonly parentCallId: string }
}

/** Every difference between what a scenario showed and what a vector expects. */
export function compareHookOutcome(
  seen: HookOutcomeSeen,
  expected: HookExpectation,
): readonly string[] {
  return [
    ...compareExecuted(seen, expected),
    ...(expected.results === undefined ? [] : compareResults(seen.results, expected.results)),
    ...(expected.post === undefined ? [] : comparePost(seen, expected.post)),
    ...compareLog(seen.log, expected.hook_log),
    ...compareApprovals(seen, expected),
    ...compareCounts(seen, expected),
    ...comparePayload(seen, expected),
    ...compareBatch(seen, expected),
    ...compareNested(seen, expected.nested),
  ]
}

function compareExecuted(
  { executed }: HookOutcomeSeen,
  expected: HookExpectation,
): readonly string[] {
  if (expected.executed === undefined) return []
  if (typeof expected.executed === 'boolean')
    return differ('executed', executed.length > 0, expected.executed)
  return differ(
    'executed',
    executed.map(({ call_id, tool, args }) => ({ call_id, tool, args })),
    expected.executed,
  )
}

function compareResults(
  results: readonly ToolResult[],
  expected: readonly ExpectedResult[],
): readonly string[] {
  const differences = [
    ...differ(
      'result ids',
      results.map(({ callId }) => callId),
      expected.map(({ call_id }) => call_id),
    ),
  ]
  for (const [index, wanted] of expected.entries()) {
    const result = results[index]
    if (result === undefined) continue
    differences.push(...compareResult(`result ${wanted.call_id}`, result, wanted))
  }
  return differences
}

function compareResult(
  what: string,
  result: ToolResult,
  wanted: ExpectedResult,
): readonly string[] {
  const message = result.error?.message ?? ''
  if (wanted.content !== undefined) {
    const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
    return [...differ(what, text, wanted.content), ...differ(`${what} status`, result.status, 'ok')]
  }
  return [
    ...differIfSaid(`${what} status`, result.status, wanted.status),
    ...differIfSaid(`${what} code`, result.error?.code, wanted.code),
    ...includesAll(`${what} message`, message, wanted.message_includes ?? []),
    ...(wanted.message_starts_with === undefined || message.startsWith(wanted.message_starts_with)
      ? []
      : [
          `${what} message: ${show(message)} does not start with ${show(wanted.message_starts_with)}`,
        ]),
    ...(wanted.started === false
      ? differ(`${what} outcome`, result.metadata.outcome, 'not_started')
      : []),
  ]
}

function comparePost(
  { post, results }: HookOutcomeSeen,
  expected: readonly ExpectedPost[],
): readonly string[] {
  const differences = [...differ('number of post_tool_call', post.length, results.length)]
  for (const [index, wanted] of expected.entries()) {
    const found = post.find(({ payload }) => payload.callId === wanted.call_id) ?? post[index]
    if (found === undefined) {
      differences.push(`no post_tool_call for ${wanted.call_id}`)
      continue
    }
    const { payload, tool } = found
    const shown: ExpectedPost = {
      call_id: payload.callId,
      tool,
      status: payload.result.status,
      code: payload.result.error?.code ?? null,
      args: payload.arguments,
    }
    for (const key of Object.keys(wanted) as (keyof ExpectedPost)[]) {
      differences.push(...differ(`post ${wanted.call_id} ${key}`, shown[key], wanted[key]))
    }
  }
  return differences
}

/** Lines of one call in their order; lines of different calls may interleave. */
function compareLog(
  log: readonly HookLogLine[],
  expected: readonly HookLogLine[] | undefined,
): readonly string[] {
  if (expected === undefined) return []
  const byCall = (lines: readonly HookLogLine[]): Record<string, HookLogLine[]> => {
    const groups: Record<string, HookLogLine[]> = {}
    for (const line of lines) (groups[line.call_id] ??= []).push(line)
    return groups
  }
  const got = byCall(log)
  const wanted = byCall(expected)
  return [...new Set([...Object.keys(got), ...Object.keys(wanted)])].flatMap((callId) =>
    differ(`hook log of ${callId}`, got[callId], wanted[callId]),
  )
}

function compareApprovals(
  { approvals }: HookOutcomeSeen,
  expected: HookExpectation,
): readonly string[] {
  const shown = approvals.map(({ request, tool }) => ({
    tool,
    arguments: request.arguments,
    messages: request.reasons,
    rule_keys: request.rules,
  }))
  const { approval_requests: requests, approval_requests_count: count } = expected
  return [
    ...differIfSaid('approval requests', shown, requests),
    ...differIfSaid('number of approval requests', shown.length, count),
  ]
}

function compareCounts(
  { executed, results, post }: HookOutcomeSeen,
  expected: HookExpectation,
): readonly string[] {
  const denied = results.filter(({ status }) => status === 'denied').length
  const ids = results.map(({ callId }) => callId)
  const distinct = ids.every((id) => id !== '') && new Set(ids).size === ids.length
  const { executed_count, blocked_count, result_ids_distinct, post_saw_result } = expected
  return [
    ...differIfSaid('executed', executed.length, executed_count),
    ...differIfSaid('blocked', denied, blocked_count),
    ...differIfSaid('ids distinct', distinct, result_ids_distinct),
    ...differIfSaid('post saw', post[0]?.payload.result.data, post_saw_result),
  ]
}

function comparePayload({ pre }: HookOutcomeSeen, expected: HookExpectation): readonly string[] {
  const [first] = pre
  const payload = first?.payload as unknown as Record<string, unknown> | undefined
  if (expected.payload_values === undefined || payload === undefined) return []
  return [
    ...Object.entries(expected.payload_values).flatMap(([key, value]) =>
      differ(`payload.${key}`, key === 'tool' ? first?.tool : payload[key], value),
    ),
    ...(expected.payload_has ?? [])
      .filter((key) => !(key in payload))
      .map((key) => `payload lacks ${key}`),
    ...(expected.payload_lacks ?? [])
      .filter((key) => key in payload)
      .map((key) => `payload has ${key}`),
    ...differ('payload frozen', isFrozen(payload), expected.payload_frozen),
  ]
}

function isFrozen(payload: Record<string, unknown>): boolean {
  return (
    ['arguments', 'definition', 'context'].every((key) => Object.isFrozen(payload[key])) &&
    Object.isFrozen(payload)
  )
}

function compareBatch(
  { pre, post }: HookOutcomeSeen,
  expected: HookExpectation,
): readonly string[] {
  if (expected.pre_called !== undefined)
    return differ('pre called', pre.length > 0, expected.pre_called)
  if (expected.pre_called_for === undefined) return []
  return [
    ...differ(
      'pre called for',
      pre.map(({ tool }) => tool),
      expected.pre_called_for,
    ),
    ...differ(
      'call ids',
      pre.map(({ payload }) => payload.callId),
      expected.call_id_seen,
    ),
    ...pre.flatMap(({ payload }) =>
      differ('parent', payload.parentCallId, expected.parent_call_id),
    ),
    ...differ('number of post_tool_call', post.length, expected.pre_called_for.length),
  ]
}

function compareNested(
  seen: HookOutcomeSeen,
  expected: HookExpectation['nested'],
): readonly string[] {
  if (expected === undefined) return []
  const of = <T extends { readonly tool: string }>(list: readonly T[]): T | undefined =>
    list.find(({ tool }) => tool === expected.tool)
  return [
    ...(of(seen.pre) === undefined ? ['no pre_tool_call for the nested call'] : []),
    ...(of(seen.post) === undefined ? ['no post_tool_call for the nested call'] : []),
    ...differ('parent of the nested call', of(seen.executed)?.parentCallId, expected.parentCallId),
  ]
}
