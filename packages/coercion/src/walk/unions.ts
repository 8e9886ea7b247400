import type { Repair } from '@callgate/spec'

import type { PlanNode } from '../plan/model.ts'
import { declares } from '../plan/node.ts'
import { accepts, sameJson, type Walk } from './walk.ts'

interface Outcome {
  readonly value: unknown
  readonly repairs: readonly Repair[]
  /** How many names were restored. */
  readonly restored: number
}

/** Takes the list or object through the fitting branch of each union that applies to it (policy rule 8). */
export function coerceUnions(walk: Walk, node: PlanNode, value: unknown): unknown {
  let result = value
  for (const branches of node.unions) {
    if (typeof result !== 'object' || result === null) return result
    result = throughUnion(walk, branches, result)
  }
  return result
}

function throughUnion(walk: Walk, branches: readonly PlanNode[], value: object): unknown {
  const candidates = narrow(
    walk,
    branches.filter((branch) => accepts(walk, branch, value)),
    value,
  )
  const [only, ...others] = candidates
  if (only === undefined) return value
  if (others.length === 0) return walk.settings.inside(walk, only, value, '')
  if (
    !only.plan.renames &&
    candidates.some((branch) => walk.settings.check(branch.source, value))
  ) {
    return value
  }
  const outcome = onlyOutcome(candidates.flatMap((branch) => attempt(walk, branch, value)))
  if (outcome === undefined) return value
  walk.repairs.push(...outcome.repairs)
  return outcome.value
}

/** Leaves out branches that a fixed value (a tag) or a missing required field rules out, if any branch remains. */
function narrow(walk: Walk, branches: readonly PlanNode[], value: object): readonly PlanNode[] {
  if (branches.length < 2 || Array.isArray(value)) return branches
  const tagged = branches.filter((branch) => tagsFit(branch, value))
  const complete = tagged.filter((branch) => isComplete(branch, value))
  return complete.length > 0 ? complete : tagged
}

function tagsFit(branch: PlanNode, value: object): boolean {
  return branch.schemas.every(({ properties }) =>
    Object.entries(properties ?? {}).every(([name, schema]) => {
      const tag = typeof schema === 'object' && Object.hasOwn(value, name) ? schema : {}
      const own = (value as Record<string, unknown>)[name]
      if (typeof own !== 'string') return true
      return 'const' in tag
        ? typeof tag.const !== 'string' || tag.const === own
        : !tag.enum?.every((member) => typeof member === 'string') || tag.enum.includes(own)
    }),
  )
}

function isComplete(branch: PlanNode, value: object): boolean {
  const names = Object.keys(value)
  const given = new Set(names.map((name) => branch.restore?.get(name) ?? name).concat(names))
  return [...branch.required].every((name) => given.has(name))
}

/** One outcome if the branch ends up valid; for names alone, if it knows any of them. */
function attempt(walk: Walk, branch: PlanNode, value: object): Outcome[] {
  const start = walk.repairs.length
  const result = walk.settings.inside(walk, branch, value, '')
  const repairs = walk.repairs.splice(start)
  const restored = repairs.filter((repair) => repair.rule === 'rename').length
  const fits = walk.settings.namesOnly
    ? knowsNames(branch, result)
    : walk.settings.check(branch.source, result)
  return fits ? [{ value: result, repairs, restored }] : []
}

function knowsNames(branch: PlanNode, value: unknown): boolean {
  return (
    typeof value === 'object' && Object.keys(value ?? {}).some((name) => declares(branch, name))
  )
}

/** The only distinct outcome; among several, those that restored most names come first. */
function onlyOutcome(outcomes: readonly Outcome[]): Outcome | undefined {
  const most = Math.max(...outcomes.map((outcome) => outcome.restored))
  const [first, ...others] = outcomes.filter((outcome) => outcome.restored === most)
  return others.every((other) => sameJson(other.value, first?.value)) ? first : undefined
}
