import { toToolError } from '../invoke/tool-error.ts'
import { type Approval, nameOf, pinsTrouble } from '../trust/pins.ts'
import { toolChanged, toolGone } from './refused-tool.ts'
import type { RunningServer } from './running-server.ts'
import { waitForList } from './wait-for-list.ts'

/**
 * Approves tools that are kept back, all of them or those asked for, and resolves when they can be called, where the
 * server is up.
 *
 * @throws ToolError, approving none, where the server has no tool of a name, or one is not any more what was looked at.
 */
export async function approve(server: RunningServer, asked?: readonly Approval[]): Promise<void> {
  const { catalogue, connection } = server
  // What could not be read may be readable by now, and else would be taken for empty.
  if (connection !== undefined && catalogue.trouble !== '') await catalogue.relist(connection)
  checkAsked(server, asked ?? [])
  try {
    await server.pins?.approve(asked)
  } catch (cause) {
    throw toToolError({ kind: 'unsent', reason: pinsTrouble(cause), cause }, server.name, '')
  }
  if (connection === undefined || !(await catalogue.relist(connection))) return
  await waitForList(server.handOver.next(), server.stopped, () => undefined).catch(() => undefined)
}

function checkAsked(
  { name: server, pins, catalogue }: RunningServer,
  asked: readonly Approval[],
): void {
  const known = [...(pins?.pending ?? []), ...catalogue.tools]
  const unknown = asked.map(nameOf).find((each) => known.every(({ name }) => name !== each))
  if (unknown !== undefined) throw toolGone(server, unknown)
  const other = pins?.otherThan(asked)
  if (other !== undefined) throw toolChanged(server, nameOf(other), 'looked at')
}
