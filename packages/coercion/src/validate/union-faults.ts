import type { ErrorObject } from 'ajv/dist/2020.js'

import {
  definitionOf,
  type LoadedDocument,
  type LoadedObject,
  type LoadedSchema,
} from '../schema/model.ts'

/**
 * A failed union comes with the errors of all its branches, most of which mean nothing to a model. Keeps those of
 * the branch that was clearly meant (its type and its tags fit, and it has the fewest errors), else only the
 * error of the union itself.
 */
export function foldUnions(
  document: LoadedDocument,
  errors: readonly ErrorObject[],
): readonly ErrorObject[] {
  const kept: ErrorObject[] = []
  for (const error of errors) {
    const branches = unionBranches(error)
    if (branches === undefined) {
      kept.push(error)
      continue
    }
    const groups = branches.map((branch) => takeErrors(document, kept, branch, error.instancePath))
    kept.push(...(meantGroup(groups, error.instancePath) ?? [error]))
  }
  return kept
}

function unionBranches(error: ErrorObject): readonly LoadedSchema[] | undefined {
  const union = error.keyword === 'anyOf' || error.keyword === 'oneOf'
  return union && Array.isArray(error.schema) ? (error.schema as LoadedSchema[]) : undefined
}

/** Takes the errors out of the list that a branch gave at this place or below. */
function takeErrors(
  document: LoadedDocument,
  errors: ErrorObject[],
  branch: LoadedSchema,
  path: string,
): ErrorObject[] {
  const parts = reachable(document, branch)
  const taken: ErrorObject[] = []
  for (let index = errors.length - 1; index >= 0; index--) {
    const error = errors[index]
    if (error === undefined || !isBelow(error.instancePath, path)) break
    if (!parts.has(error.parentSchema)) continue
    taken.unshift(error)
    errors.splice(index, 1)
  }
  return taken
}

function isBelow(path: string, base: string): boolean {
  return path === base || path.startsWith(`${base}/`)
}

/** All schemas that can be met from a branch. */
function reachable(document: LoadedDocument, branch: LoadedSchema): Set<unknown> {
  const seen = new Set<unknown>()
  const pending: unknown[] = [branch]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null || seen.has(next)) continue
    seen.add(next)
    const { $ref } = next as LoadedObject
    if (typeof $ref === 'string') pending.push(definitionOf(document, $ref))
    pending.push(...(Object.values(next) as unknown[]).filter((part) => part !== undefined))
  }
  return seen
}

function meantGroup(
  groups: readonly (readonly ErrorObject[])[],
  path: string,
): readonly ErrorObject[] | undefined {
  const meant = groups.filter((group) => group.length > 0 && !group.some((e) => rulesOut(e, path)))
  const fewest = Math.min(...meant.map((group) => group.length))
  const [best, ...others] = meant.filter((group) => group.length === fewest)
  return others.length === 0 ? best : undefined
}

/** A value of another type, or a tag of another branch: the branch was not meant. */
function rulesOut(error: ErrorObject, path: string): boolean {
  if (error.instancePath === path) {
    return ['type', 'enum', 'const', 'false schema'].includes(error.keyword)
  }
  const below = error.instancePath.slice(path.length + 1)
  return error.keyword === 'const' && !below.includes('/')
}
