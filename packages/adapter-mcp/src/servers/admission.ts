import { isAllowed } from '../discover/allow.ts'
import { toToolError } from '../invoke/tool-error.ts'
import { abortable } from './abortable.ts'
import { toolChanged, toolGone } from './refused-tool.ts'
import type { ServerTools } from './server-tools.ts'

/**
 * Looks, before a call, whether the tool may be called: allowed by the operator, not kept back by the pins, and,
 * where it is only known from an earlier run, still what the server offers.
 *
 * @throws ToolError where it may not, or the server cannot tell.
 */
export async function admit(tools: ServerTools, tool: string, signal: AbortSignal): Promise<void> {
  const { server, config, pins, catalogue, handOver } = tools
  if (!isAllowed(tool, config)) throw toolGone(server, tool)
  handOver.called()
  const { unconfirmed, taken } = catalogue
  if (unconfirmed || (pins !== undefined && !taken)) await confirm(tools, signal)
  else if (pins === undefined) return
  if (pins?.holds(tool) === true) throw toolChanged(server, tool, 'approved')
  if (catalogue.tools.some(({ name }) => name === tool)) return
  throw toolGone(server, tool)
}

/** Has the server itself say what it offers. */
async function confirm(tools: ServerTools, signal: AbortSignal): Promise<void> {
  const { server, catalogue, requests, stopped } = tools
  const connection = await requests.connection(signal)
  // The list is for all who want it: a caller who stops does not stop it.
  await requests.waitFor(abortable(catalogue.refresh(connection, stopped), signal), signal)
  if (catalogue.taken && !catalogue.unconfirmed) return
  const fault = { kind: 'unsent', reason: catalogue.trouble } as const
  throw toToolError(fault, server, connection.remains())
}
