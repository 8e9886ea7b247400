import { isFields } from '../json.ts'
import type { PlanNode } from '../plan/model.ts'
import { membersOf, type LoadedObject } from '../schema/model.ts'
import { attempt, takeOnly, type Outcome } from './attempt.ts'
import { accepts, hasRequired, type Walk } from './walk.ts'

/** Takes the list or object through the fitting branch of a union that applies to it (policy rule 8). */
export function coerceUnion(walk: Walk, branches: readonly PlanNode[], value: object): object {
  const { check, inside, namesOnly } = walk
  const candidates = narrow(
    branches.filter((branch) => accepts(branch, value)),
    value,
  )
  const [only, ...others] = candidates
  if (only === undefined) return value
  if (others.length === 0) return inside(walk, only, value, '')
  const isValid = candidates.some(({ source }) => check(source, value))
  if (isValid && !only.plan.renames) return value
  const outcomes = candidates.flatMap((branch) => {
    const outcome = attempt(walk, () => inside(walk, branch, value, ''))
    const fits = namesOnly
      ? Object.keys(outcome.value).some((name) => branch.names.has(name))
      : check(branch.source, outcome.value)
    return fits ? [outcome] : []
  })
  // Among several, those that know most names come first: only a field that is declared is restored, or left out.
  const knows = isValid ? /^rename$/ : /^(?:rename|drop-null)$/
  const known = ({ repairs }: Outcome<object>): number =>
    repairs.filter(({ rule }) => knows.test(rule)).length
  const most = Math.max(...outcomes.map(known))
  return takeOnly(
    walk,
    outcomes.filter((one) => known(one) === most),
    value,
  )
}

/** Leaves out branches that a fixed value (a tag) or a missing required field rules out, if any branch remains. */
function narrow(branches: readonly PlanNode[], value: object): readonly PlanNode[] {
  if (branches.length < 2 || !isFields(value)) return branches
  const tagged = branches.filter((branch) => tagsFit(branch, value))
  const complete = tagged.filter((branch) => hasRequired(branch, value))
  return complete.length > 0 ? complete : tagged
}

/** Whether none of the properties that are one of some fixed texts is another text. */
function tagsFit(branch: PlanNode, value: { readonly [name: string]: unknown }): boolean {
  // Found once for a branch, since there may be many branches and many values.
  branch.tags ??= branch.schemas.flatMap(({ properties = {} }) =>
    Object.entries(properties).flatMap(([name, schema]) => {
      const values = membersOf(Object(schema) as LoadedObject)
      if (!values?.every((member) => typeof member === 'string')) return []
      const shown = [...branch.restore.keys()].filter((key) => branch.restore.get(key) === name)
      return [[[name, ...shown], values] as const]
    }),
  )
  return branch.tags.every(([names, values]) => {
    const name = names.find((one) => Object.hasOwn(value, one))
    const tag = name !== undefined && value[name]
    return typeof tag !== 'string' || values.includes(tag)
  })
}
