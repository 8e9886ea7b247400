import { shownIds } from '../bridge/shown-tools.ts'
import type { Call } from '../pipeline/call.ts'
import type { Services } from '../pipeline/services.ts'
import type { Failure } from '../results/failure.ts'

const maxAlternatives = 3

/**
 * Tool level of R10.2: a tool that fails again is told with what failed before and with other tools that the caller may
 * use, so that the model tries another way.
 */
export function withAdvice(call: Call, services: Services, failed: Failure): Failure {
  if (!isWorthTelling(call, failed)) return failed
  const { count, told } = services.guardrails.failuresInARow(call)
  if (count === 0) return failed
  const others = alternatives(call, services)
  const advice = [
    `${call.toolId} has now failed ${count + 1} times in a row. Before: ${told.join('; ')}.`,
    others.length === 0
      ? 'Try another way, or tell the user what does not work.'
      : `Other tools that may do: ${others.join(', ')}. Or try another way.`,
  ].join(' ')
  return { ...failed, hint: failed.hint === undefined ? advice : `${failed.hint} ${advice}` }
}

/** A call that was stopped, or that has to wait, says nothing of its tool. */
function isWorthTelling(call: Call, { code }: Failure): boolean {
  return (
    call.entry !== undefined &&
    code !== 'cancelled' &&
    (call.attempts > 0 || code === 'invalid_arguments')
  )
}

/** Declared fallbacks first, then the tools whose words are most like those of this one. */
function alternatives(call: Call, services: Services): readonly string[] {
  const { registry, visibility } = services
  const shown = shownIds(call.context, services)
  const { definition } = call.entry!
  const similar = registry.similar(call.toolId, maxAlternatives, call.context)
  const ids = [...(definition.fallback ?? []), ...similar.map(({ id }) => id)]
  const names = ids.flatMap((id) => {
    const entry = id === call.toolId ? undefined : registry.find(id)
    return entry === undefined ||
      shown?.has(id) === false ||
      !visibility.allows(entry.definition, call.context)
      ? []
      : [entry.wireName]
  })
  return [...new Set(names)].slice(0, maxAlternatives)
}
