import type { Explanation } from '../options.ts'
import { findAdapter } from './adapter.ts'
import { assess, peek, questionsOf } from './authorization.ts'
import type { Call } from './call.ts'
import { lookup } from './lookup.ts'
import { permission } from './permission.ts'
import { preToolCall } from './pre-tool-call.ts'
import type { Services } from './services.ts'
import { validate } from './validation.ts'

/** Steps 1 to 4 without a human and without running anything (R9). The hooks are asked, for they decide. */
export async function explainCall(call: Call, services: Services): Promise<Explanation> {
  const early = lookup(call, services) ?? findAdapter(call, services) ?? permission(call, services)
  const rolesThatMay =
    call.entry === undefined ? [] : services.visibility.rolesThatMay(call.entry.definition)
  const deny = (layer: Explanation['layer'], reason: string): Explanation => ({
    decision: 'deny',
    layer,
    reasons: [reason],
    // A caller that may not see the tool does not learn who may.
    rolesThatMay: services.visibility.seesEverything(call.context) || layer > 1 ? rolesThatMay : [],
  })
  if (early !== undefined) return deny(1, early.message)
  const invalid = await validate(call, services)
  if (invalid !== undefined) return deny(1, invalid.message)
  const judged = await preToolCall(call, services)
  if (!judged.ok) return deny(2, judged.failure.message)
  const risky = assess(call, services)
  if (risky !== undefined) return deny(2, risky.message)
  const refused = peek(call, services)
  if (refused !== undefined) return deny(2, refused.message)
  const questions = questionsOf(call, judged.asks)
  const factors = call.risk === undefined ? [] : call.risk.factors
  return questions.length > 0
    ? { decision: 'ask', layer: 3, reasons: questions.map(({ reason }) => reason), rolesThatMay }
    : { decision: 'allow', layer: 2, reasons: factors, rolesThatMay }
}
