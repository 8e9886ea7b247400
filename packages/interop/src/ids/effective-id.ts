import type { ToolCallIn } from '@callgate/spec'

/**
 * The id that the result of a call carries (R2.3): `callId`, else `id`, as text, trimmed, the part before `|`.
 * '' where the call has none. The rule of `effectiveId` in @callgate/core, which this package may not import.
 */
export function effectiveIdOf(call: Pick<ToolCallIn, 'id' | 'callId'>): string {
  const given = idText(call.callId)
  return given === '' ? idText(call.id) : given
}

/** An id as it stands in a message, brought to the form in which ids are compared. */
export function idText(id: unknown): string {
  if (typeof id !== 'string' && typeof id !== 'number' && typeof id !== 'bigint') return ''
  return String(id).split('|', 1)[0]!.trim()
}
