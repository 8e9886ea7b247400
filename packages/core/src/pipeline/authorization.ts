import { late } from '../policy/late.ts'
import { shownText, shownValue } from '../policy/shown-text.ts'
import { maxMessage, maxName, shortened } from '../results/cut-text.ts'
import { failure, type Failure } from '../results/failure.ts'
import { maskSecretFields } from '../results/redact.ts'
import { shortId } from '../results/short-id.ts'
import { orStopped } from '../turn/or-stopped.ts'
import { approve, changedSince, denied, useApproval, type Question } from './approval.ts'
import type { Call } from './call.ts'
import { timeLeft } from './execution.ts'
import { isPromise, proceed, type Maybe } from './maybe.ts'
import { preToolCall, type Ask, type Judged } from './pre-tool-call.ts'
import type { Services } from './services.ts'
import { validate } from './validation.ts'

/** How often a human may edit the arguments of one call. */
const maxEdits = 5

/**
 * Step 4, second half: hooks, layer 2, a peek at limits, layer 3. A human is asked last, and only for what would
 * run (R9.2–R9.4).
 */
export function authorize(call: Call, services: Services): Maybe<Failure | undefined> {
  const judged = preToolCall(call, services, call.approved !== undefined)
  const orStop = isPromise(judged) ? orStopped(judged, call.stop, stopped) : judged
  return proceed(orStop, call, services, decide)
}

const stopped = (): Judged => ({
  ok: false,
  failure: failure('cancelled', 'The call was stopped before it started.'),
})

function decide(call: Call, services: Services, judged: Judged): Maybe<Failure | undefined> {
  if (!judged.ok) return judged.failure
  const refused = assess(call, services) ?? services.pins.check(call.entry!)
  if (refused !== undefined) return refused
  // Before it is looked at who asks: what was approved runs as it was approved, or not at all.
  if (call.approved !== undefined) return useApproval(call)
  const questions = questionsOf(call, judged.asks)
  // What step 5 would refuse is looked for only where a human would be asked in vain.
  return questions.length === 0
    ? undefined
    : (peek(call, services) ?? askHuman(call, services, questions))
}

async function askHuman(
  call: Call,
  services: Services,
  questions: readonly Question[],
): Promise<Failure | undefined> {
  const approval = await approve(call, services, questions)
  if (approval !== undefined && !('edited' in approval)) return approval
  // While a person was asked the tool may have been replaced or taken out.
  if (services.registry.find(call.toolId) !== call.entry) return changedSince(call.toolId)
  if (approval === undefined) return undefined
  const edits = call.notes.filter((note) => 'edited' in note).length
  if (edits >= maxEdits) return denied(`the arguments were edited ${maxEdits} times`)
  call.notes.push({ layer: 3, edited: maskSecretFields(approval.edited) })
  // Edited arguments go the whole way again: validation, hooks, and the question with the new digest.
  call.originalArguments ??= call.arguments
  call.rawArguments = approval.edited
  return (await validate(call, services)) ?? (await authorize(call, services))
}

/** Layer 2. A tool whose risk is high and that permits no approval is refused. */
export function assess(call: Call, services: Services): Failure | undefined {
  const { definition } = call.entry!
  const { sessionId } = call.context
  call.risk = services.assess({
    tool: definition,
    arguments: call.arguments,
    context: call.context,
    history: services.guardrails.history(sessionId),
  })
  if (call.risk.level === 'low') return undefined
  call.notes.push({ layer: 2, risk: call.risk })
  const asksAnyway =
    definition.permissions?.requiresApproval === true || definition.confirm === true
  if (call.risk.level !== 'high' || asksAnyway) return undefined
  return failure(
    'permission_denied',
    `The call is too risky here: ${call.risk.factors.join('; ')}.`,
    {
      rule: 'risk',
      hint: 'A person has to do this, or the tool has to permit approval.',
    },
  )
}

/** Whether the call would be refused when it runs, so that no human is asked in vain. Spends nothing. */
export function peek(call: Call, services: Services): Failure | undefined {
  return (
    (timeLeft(call, services) > 0 ? undefined : late(call)) ??
    services.pins.check(call.entry!) ??
    services.guardrails.check(call) ??
    services.limits.peek(call) ??
    services.breakers.check(call.entry!)
  )
}

export function questionsOf(call: Call, asks: readonly Ask[]): readonly Question[] {
  const { definition } = call.entry!
  if (asks.length === 0 && definition.confirm !== true && call.risk?.level !== 'high') return none
  const questions: Question[] = asks.map(({ hook, message, rule }) => ({
    reason:
      message !== undefined
        ? shownText(shortened(message, maxMessage))
        : `The hook "${shortened(hook, maxName)}" wants a person to decide.`,
    // A grant is for all calls under its rule.
    ...(rule === undefined ? {} : { rule: shortId(rule, maxName) }),
  }))
  if (definition.confirm === true) {
    // Without a rule: who confirms one call has confirmed that call, not the tool.
    questions.unshift({ reason: confirmText(definition.confirmMessage, call) })
  }
  if (call.risk?.level === 'high') {
    questions.push({ reason: shownText(`High risk: ${call.risk.factors.join('; ')}.`) })
  }
  return questions
}

const none: readonly Question[] = []

/** `{parameter}` or `{{parameter}}`, whatever the parameter is called. */
const placeholder = /\{\{([^{}]+)\}\}|\{([^{}]+)\}/g

/** Fills placeholders once; a value is never read as a template (R9.4). */
function confirmText(template: string | undefined, call: Call): string {
  const args = call.arguments as Record<string, unknown>
  if (template === undefined) return `Run ${call.toolId}?`
  return shownText(template).replaceAll(placeholder, (whole, twice?: string, once?: string) => {
    const name = (twice ?? once ?? '').trim()
    if (!Object.hasOwn(args, name)) return whole
    return shownValue(args[name])
  })
}
