import type { ErrorObject } from 'ajv/dist/2020.js'

import { reachable, type LoadedDocument } from '../schema/model.ts'

/**
 * A failed union comes with the errors of all its branches, most of which mean nothing to a model. Keeps those of
 * the branch that was clearly meant (its type and its tags fit, and it has the fewest errors), else only the
 * error of the union itself.
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
    kept = [...others, ...(meantGroup(groups, path) ?? [error])]
  }
  return kept
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
function rulesOut({ instancePath, keyword }: ErrorObject, path: string): boolean {
  const below = instancePath.slice(path.length + 1)
  return keyword === 'const'
    ? !below.includes('/')
    : below === '' && /^(?:enum|type)$/.test(keyword)
}
