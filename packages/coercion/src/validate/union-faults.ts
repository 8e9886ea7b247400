import type { ErrorObject } from 'ajv/dist/2020.js'

import { pointerToken } from '../json.ts'
import { membersOf, reachable, type LoadedDocument, type LoadedObject } from '../schema/model.ts'

/**
 * A failed union comes with the errors of all its branches, most of which mean nothing to a model. Keeps that of a tag
 * which is none of any branch, else those of the branch that was clearly meant (its type and its tags fit, and it has
 * the fewest errors), else only the error of the union itself.
 */
export function foldUnions(
  document: LoadedDocument,
  errors: readonly ErrorObject[],
): readonly ErrorObject[] {
  let kept: ErrorObject[] = []
  for (const error of errors) {
    const { keyword, schema, instancePath: path } = error
    // These only say that something else failed, which has its own error.
    if (/^(?:if|propertyNames)$/.test(keyword)) continue
    if (!/^(?:anyOf|oneOf)$/.test(keyword)) {
      kept.push(error)
      continue
    }
    const start =
      kept.findLastIndex(({ instancePath }) => !`${instancePath}/`.startsWith(`${path}/`)) + 1
    const groups = (schema as unknown[]).map((branch) => {
      const parts = reachable(document, branch)
      return kept.slice(start).filter((other) => parts.has(other.parentSchema))
    })
    const ofBranches = new Set(groups.flat())
    const others = kept.filter((other) => !ofBranches.has(other))
    kept = [...others, ...(tagFault(groups, path) ?? meantGroup(groups, path) ?? [error])]
  }
  return kept
}

/**
 * The errors of the only branch for a value of that type; else one error, where each of them wants a field to be one of
 * some values of its own, and it is none of them all, or missing. `params.members` are the values of all branches.
 */
function tagFault(
  groups: readonly (readonly ErrorObject[])[],
  path: string,
): readonly ErrorObject[] | undefined {
  const branches = groups.filter((group) => !group.some((error) => isOther(error, path)))
  const [only, second] = branches
  if (only?.length && !second) return only
  const [first = new Map<string, Tag>(), ...others] = branches.map(
    (group) => new Map(group.flatMap((error) => tagOf(error, path))),
  )
  for (const [name, { error, members: own }] of first) {
    const more = others.map((tags) => tags.get(name)?.members)
    const members = [...new Set([own, ...more].flat())]
    if (!more.includes(undefined) && members.length > own.length) {
      return [{ ...error, params: { ...error.params, members } }]
    }
  }
  return undefined
}

interface Tag {
  readonly error: ErrorObject
  readonly members: readonly unknown[]
}

/** The field at `path` that an error is about, if it is to be one of some values, as a pointer below the path. */
function tagOf(error: ErrorObject, path: string): [name: string, tag: Tag][] {
  const { missingProperty: name, members: known } = error.params as {
    readonly missingProperty?: string
    readonly members?: readonly unknown[]
  }
  const { properties = {} } = error.parentSchema as LoadedObject
  const schema = name === undefined ? error.parentSchema : properties[name]
  const members = known ?? membersOf(Object(schema) as LoadedObject)
  const at = error.instancePath + (name === undefined ? '' : pointerToken(name))
  return members && /^\/[^/]*$/.test(at.slice(path.length)) ? [[at, { error, members }]] : []
}

function meantGroup(
  groups: readonly (readonly ErrorObject[])[],
  path: string,
): readonly ErrorObject[] | undefined {
  const [best, second] = groups
    .filter((group) => group.length > 0 && !group.some((error) => rulesOut(error, path)))
    .toSorted((a, b) => a.length - b.length)
  return best?.length === second?.length ? undefined : best
}

/** A value of another type, or a tag of another branch: the branch was not meant. */
function rulesOut(error: ErrorObject, path: string): boolean {
  const { instancePath, keyword } = error
  return (
    isOther(error, path) ||
    (keyword === 'const' && !instancePath.slice(path.length + 1).includes('/'))
  )
}

/** A value of another type. */
function isOther({ instancePath, keyword }: ErrorObject, path: string): boolean {
  return instancePath === path && /^(?:enum|const|type)$/.test(keyword)
}
