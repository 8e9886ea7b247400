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
  return (asText(id) ?? '').split('|', 1)[0]!.trim()
}

/** An id as text: some providers count their calls. undefined for what is no id. */
export function asText(id: unknown): string | undefined {
  if (typeof id === 'string') return id
  return typeof id === 'number' || typeof id === 'bigint' ? String(id) : undefined
}
