import type { McpAdapter } from '@callgate/adapter-mcp'
import type { AdapterHealth } from '@callgate/core'

/** A server that is not ready. */
export interface ServerTrouble {
  readonly name: string
  readonly why: string
}

/** What the gateway adds to the reason of an adapter that is well but for some tools. */
const leftOutNote = /(?:^|; )(tools are left out: .*)$/s

/** The tools that an adapter offers and that do not fit; undefined where there are none. */
export function leftOutOf({ reason = '' }: AdapterHealth): string | undefined {
  return leftOutNote.exec(reason)?.[1]
}

/** The reason of the adapter itself; '' where it is well. */
export function ownReason({ state, reason }: AdapterHealth): string {
  return state === 'ok' ? '' : (reason ?? 'no reason given').replace(leftOutNote, '')
}

/** The servers that are not ready, each with why on one line. */
export function troublesOf(mcp: McpAdapter | undefined): readonly ServerTrouble[] {
  return (mcp?.servers() ?? []).flatMap(({ name, reason }) =>
    reason === undefined ? [] : [{ name, why: reason.replaceAll('\n', ' ') }],
  )
}
