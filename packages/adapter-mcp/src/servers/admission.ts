import { isAllowed } from '../discover/allow.ts'
import { toToolError } from '../invoke/tool-error.ts'
import { abortable } from './abortable.ts'
import { toolChanged, toolGone } from './refused-tool.ts'
import type { RunningServer } from './running-server.ts'

/**
 * Looks, before a call, whether the tool may be called: allowed by the operator, not kept back by the pins, and,
 * where it is only known from an earlier run, still what the server offers.
 *
 * @throws ToolError where it may not, or the server cannot tell.
 */
export async function admit(
  server: RunningServer,
  tool: string,
  signal: AbortSignal,
): Promise<void> {
  const { name, pins, catalogue } = server
  if (!isAllowed(tool, server.config)) throw toolGone(name, tool)
  server.handOver.called()
  const { unconfirmed, taken } = catalogue
  if (unconfirmed || (pins !== undefined && !taken)) await confirm(server, signal)
  else if (pins === undefined) return
  if (pins?.holds(tool) === true) throw toolChanged(name, tool, 'approved')
  if (!catalogue.tools.some((each) => each.name === tool)) throw toolGone(name, tool)
}

/** Has the server itself say what it offers. */
async function confirm(server: RunningServer, signal: AbortSignal): Promise<void> {
  const { catalogue, requests } = server
  const connection = await requests.connection(signal)
  // The list is for all who want it: a caller who stops does not stop it.
  await requests.waitFor(abortable(catalogue.refresh(connection, server.stopped), signal), signal)
  if (catalogue.taken && !catalogue.unconfirmed) return
  const fault = { kind: 'unsent', reason: catalogue.trouble } as const
  throw toToolError(fault, server.name, connection.remains())
}
