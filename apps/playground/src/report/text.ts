import { effectiveId } from '@callgate/core'
import type { ToolResult } from '@callgate/spec'

import type { Played } from '../playground.ts'
import { columns, heading, json, jsonLines, oneLine, paint } from './layout.ts'

interface HookNote {
  readonly event: string
  readonly hooks: readonly {
    readonly hook: string
    readonly decision?: string
    readonly fault?: string
    readonly ms: number
  }[]
}

interface AuditEntry {
  readonly auditId: string
  readonly callId: string
  readonly tool: string
  readonly status: string
  readonly code?: string
  readonly adapter?: string
  readonly outcome: string
  readonly durationMs: number
  readonly notes?: readonly Partial<HookNote>[]
}

/** The whole story of a played message, section by section, for a person. */
export function describePlayed(played: Played, first = 1): string {
  const sections = [expansion, repairs, hooks, steps, answers, audit, messages]
  return sections.map((section, index) => section(played, first + index)).join('\n')
}

function expansion({ provider, before, after, results }: Played, number: number): string {
  const unread = new Set(
    results.flatMap(({ callId, error }) => (error?.code === 'malformed_call' ? [callId] : [])),
  )
  const rows = after.toolCalls.map((call) => {
    const id = effectiveId(call)
    // Nothing of a batch that cannot be read is called, so none of its entries is shown as if it were.
    const what = unread.has(id)
      ? `${call.name} ${paint('red', 'cannot be read')}`
      : nameOf(call.arguments, call.name)
    return [paint('dim', id), what]
  })
  return [
    heading(
      number,
      `Expansion (${provider}): ${count(before.toolCalls.length, 'tool call')} → ${count(after.toolCalls.length, 'call')}`,
    ),
    ...columns(rows),
  ].join('\n')
}

/** The tool behind a bridge call. */
function nameOf(args: unknown, name: string): string {
  const parsed: unknown = typeof args === 'string' ? tryParse(args) : args
  const entry = (
    parsed as { calls?: readonly { name?: unknown; arguments?: unknown }[] } | undefined
  )?.calls?.[0]
  return entry === undefined
    ? `${name} ${oneLine(json(parsed))}`
    : `${String(entry.name)} ${paint('dim', oneLine(json(entry.arguments), 70))}`
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

function repairs({ results }: Played, number: number): string {
  const rows = results.flatMap(({ tool, metadata }) =>
    metadata.repairs.map(({ path, from, to, rule }, index) => [
      index === 0 ? tool : '',
      path === '' ? '(all)' : path,
      `${paint('red', oneLine(json(from), 32))} → ${paint('green', oneLine(json(to), 32))}`,
      paint('dim', rule),
    ]),
  )
  return [heading(number, `Repairs: ${rows.length}`), ...columns(rows)].join('\n')
}

function hooks({ audit: entries }: Played, number: number): string {
  const rows = (entries as readonly AuditEntry[]).flatMap(({ tool, notes = [] }) =>
    notes.flatMap(({ event = '', hooks: traces = [] }) =>
      traces.map(({ hook, decision = 'no objection', fault }) => [
        tool,
        event,
        hook,
        fault === undefined
          ? decision === 'block'
            ? paint('red', decision)
            : decision
          : paint('red', `failed: ${fault}`),
      ]),
    ),
  )
  return [heading(number, `Hook decisions: ${rows.length}`), ...columns(rows)].join('\n')
}

const stepNames = [
  'lookup',
  'adapter',
  'permission',
  'validation',
  'execution',
  'result',
  'injection',
] as const

function steps({ results }: Played, number: number): string {
  const rows = results.map(({ tool, metadata }) => [
    tool,
    ...stepNames.map((name) => {
      const ms = metadata.trace
        .filter(({ step }) => step === name)
        .reduce((sum, step) => sum + step.ms, 0)
      return metadata.trace.some(({ step }) => step === name) ? ms.toFixed(2) : '–'
    }),
  ])
  return [
    heading(number, 'The seven steps, in milliseconds'),
    ...columns([['', ...stepNames].map((name) => paint('dim', name)), ...rows]),
  ].join('\n')
}

function answers({ results: list }: Played, number: number): string {
  const rows = list.map((result) => [
    paint('dim', result.callId),
    result.tool,
    result.status === 'ok'
      ? paint('green', 'ok')
      : paint('red', `${result.status} ${result.error?.code ?? ''}`),
    oneLine(textOf(result), 80),
  ])
  return [heading(number, `Results, in call order: ${list.length}`), ...columns(rows)].join('\n')
}

function textOf({ content, error }: ToolResult): string {
  const texts = content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`))
  const message = error?.message ?? ''
  // The content of a program that failed begins with the message already.
  const said = texts.some((text) => text.includes(message)) ? [] : [message]
  return [...said, ...texts].filter((text) => text !== '').join(' ')
}

function audit({ audit: entries }: Played, number: number): string {
  const rows = (entries as readonly AuditEntry[]).map(
    ({ auditId, tool, adapter = '', status, code = '', outcome, durationMs }) => [
      paint('dim', auditId),
      tool,
      adapter,
      status,
      code,
      outcome,
      `${durationMs.toFixed(1)} ms`,
    ],
  )
  return [heading(number, `Audit: ${count(rows.length, 'line')}`), ...columns(rows)].join('\n')
}

function messages({ messages: list, provider }: Played, number: number): string {
  return [
    heading(number, `What goes back to ${provider}: ${count(list.length, 'message')}`),
    ...list.flatMap(jsonLines),
  ].join('\n')
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
