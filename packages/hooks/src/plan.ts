import { matchesGlob } from './glob.ts'
import type { InvokeSettings } from './invoke.ts'
import { kinds, type Registration } from './registration.ts'
import type { EventRule, HookKind, HookRunOptions } from './types.ts'

/** The handlers of one event by kind, in order; made anew when one comes or goes. */
export type Plan = { readonly [K in HookKind]: readonly Registration[] } & {
  readonly rule: EventRule
  readonly settings: InvokeSettings
  /** Whether some handler is only for some subjects. */
  readonly selective: boolean
}

/** Sorts the handlers of an event, which are in order, by their kind. */
export function makePlan(
  registrations: readonly Registration[],
  rule: EventRule,
  settings: InvokeSettings,
): Plan {
  const of = (kind: HookKind): readonly Registration[] =>
    registrations.filter((registration) => (registration.options.kind ?? rule.kind) === kind)
  return {
    rule,
    settings,
    selective: registrations.some(
      ({ options }) => options.match !== undefined || options.scope !== undefined,
    ),
    transform: of('transform'),
    gate: of('gate'),
    observe: of('observe'),
    around: of('around'),
  }
}

/** Leaves out the handlers whose `match` or `scope` does not cover what happens. */
export function selectPlan(plan: Plan | undefined, run: About): Plan | undefined {
  if (plan === undefined || !plan.selective) return plan
  const covers = ({ options }: Registration): boolean =>
    isWithin(run.scope, options.scope) && isAbout(run, options.match)
  if (kinds.every((kind) => plan[kind].every(covers))) return plan
  const selected = makePlan(
    kinds.flatMap((kind) => plan[kind].filter(covers)),
    plan.rule,
    plan.settings,
  )
  return kinds.every((kind) => selected[kind].length === 0) ? undefined : selected
}

export function isAroundAlone({ transform, gate, observe }: Plan): boolean {
  return transform.length === 0 && gate.length === 0 && observe.length === 0
}

type About = Pick<HookRunOptions<object>, 'subject' | 'subjects' | 'scope'>

function isAbout({ subject, subjects }: About, match: string | undefined): boolean {
  if (match === undefined) return true
  if (subjects !== undefined) return subjects.some((one) => matchesGlob(match, one))
  return subject !== undefined && matchesGlob(match, subject)
}

function isWithin(place: string | undefined, scope: string | undefined): boolean {
  return scope === undefined || place === scope || place?.startsWith(`${scope}/`) === true
}
