import type { AdapterHealth } from '@callgate/core'

import type { ServerStarts } from './mcp-servers.ts'

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

/** The health of the MCP adapter says `name: why` of each server that is not ready; `why` may have several lines. */
export function troublesOf(health: AdapterHealth, starts: ServerStarts): readonly ServerTrouble[] {
  const troubles: ServerTrouble[] = []
  for (const line of ownReason(health).split('\n')) {
    const [, name = '', why = ''] = /^([\w-]+): (.*)$/.exec(line) ?? []
    const last = troubles.at(-1)
    if (Object.hasOwn(starts, name)) troubles.push({ name, why })
    else if (last !== undefined) {
      troubles[troubles.length - 1] = { name: last.name, why: `${last.why} ${line}` }
    }
  }
  return troubles
}
