import type { ToolCallIn } from '@callgate/spec'

/**
 * The id results carry: callId, else id, as text, trimmed, the part before `|`; '' where there is none or it cannot be
 * read (R2.3).
 */
export function effectiveId(call: ToolCallIn): string {
  try {
    return headOf(call.callId) || headOf(call.id)
  } catch {
    return ''
  }
}

/** The part of a provider's id that names the call: `call_1|fc_9` of the Responses API names `call_1`. */
export function headOf(id: unknown): string {
  const text =
    typeof id === 'string' ? id : typeof id === 'number' || typeof id === 'bigint' ? String(id) : ''
  const bar = text.indexOf('|')
  return (bar === -1 ? text : text.slice(0, bar)).trim()
}

/** The same call under another id; the item half of a composite id is kept. */
export function withEffectiveId(call: ToolCallIn, id: string): ToolCallIn {
  if (headOf(call.callId) !== '') return { ...call, callId: id }
  const bar = typeof call.id === 'string' ? call.id.indexOf('|') : -1
  return { ...call, id: bar === -1 ? id : id + (call.id as string).slice(bar) }
}
