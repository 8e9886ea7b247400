import { InvalidOptionsError, type ApprovalDecision } from '@callgate/spec'

import type { Failure } from '../results/failure.ts'
import { textOfThrown } from '../results/thrown.ts'
import { bounded } from '../turn/or-stopped.ts'
import { stored } from './approval.ts'
import { faultOfDecision } from './decision.ts'
import type { Services } from './services.ts'
import { faultOfArguments } from './validation.ts'

/**
 * Looks at an answer to a ticket before the ticket is claimed, so that a mistake of the program does not use it up.
 *
 * @throws InvalidOptionsError for half an answer.
 */
export function checkDecision(decision: ApprovalDecision): void {
  const fault = faultOfDecision(decision)
  if (fault === undefined) return
  throw new InvalidOptionsError({
    rule: 'approval-decision',
    where: '/decision',
    message: `The answer to an approval does not fit: ${fault}.`,
    hint: 'Give { decision: "approve" }, { decision: "deny" } or { decision: "edit", arguments }.',
  })
}

/**
 * Arguments that do not fit are the human's to correct, not the model's: they are looked at while the ticket still lies
 * in the store. What cannot be looked at now is left to validation.
 *
 * @throws InvalidOptionsError for edited arguments that do not fit.
 */
export async function checkEdit(
  ticketId: string,
  edited: unknown,
  services: Services,
): Promise<void> {
  const fault = await faultOfEdit(ticketId, edited, services)
  if (fault === undefined) return
  throw new InvalidOptionsError({
    rule: 'approval-edit',
    where: '/decision/arguments',
    message: `The edited arguments do not fit. ${fault.message}`,
    hint: 'Correct them and answer the same ticket again; it still waits.',
  })
}

async function faultOfEdit(
  ticketId: string,
  edited: unknown,
  services: Services,
): Promise<Failure | undefined> {
  const { ports, registry, settings, log } = services
  try {
    const waiting = await stored(services, ports.approvals.list())
    const request = waiting.find((one) => one.ticketId === ticketId)
    const entry = request === undefined ? undefined : registry.find(request.tool)
    if (entry === undefined) return undefined
    const bounds = { what: 'the schema', ms: settings.timeoutMs, clock: ports.clock }
    return await bounded(faultOfArguments(entry, edited), bounds)
  } catch (error) {
    log.warn('edited arguments could not be looked at', { ticketId, error: textOfThrown(error) })
    return undefined
  }
}
