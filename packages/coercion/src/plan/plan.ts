import { renamedNames } from '../names/rename.ts'
import type { NameRule } from '../providers/profile.ts'
import {
  definitionOf,
  type LoadedDocument,
  type LoadedObject,
  type LoadedSchema,
} from '../schema/model.ts'
import type { RegExpEngine } from '../types.ts'
import type { Plan, PlanNode } from './model.ts'
import { createNode } from './node.ts'

export function createPlan(
  document: LoadedDocument,
  rule: NameRule,
  regExp: RegExpEngine | undefined,
): Plan {
  const nodes = new Map<LoadedSchema, PlanNode>()
  const renames = document.nameLists.some((names) => renamedNames(names, rule).size > 0)
  let root: PlanNode | undefined

  function node(schema: LoadedSchema): PlanNode {
    let found = nodes.get(schema)
    if (found === undefined) {
      found = createNode(plan, schema)
      nodes.set(schema, found)
    }
    return found
  }

  const plan: Plan = {
    get root() {
      return (root ??= node(document.root))
    },
    renames,
    regExp,
    node,
    nodeOfAll(schemas) {
      const telling = [...new Set(schemas)].filter((schema) => schema !== true)
      const [first, ...more] = telling
      if (first === undefined) return undefined
      return more.length === 0 ? node(first) : createNode(plan, { allOf: telling })
    },
    definition(reference) {
      return definitionOf(document, reference)
    },
    restoreNames(schemas) {
      return renames ? restoreNames(schemas, rule) : undefined
    },
  }
  return plan
}

/** Shown name to own name. A shown name that two schemas give to different properties restores nothing. */
function restoreNames(
  schemas: readonly LoadedObject[],
  rule: NameRule,
): ReadonlyMap<string, string> | undefined {
  const restore = new Map<string, string>()
  const unclear = new Set<string>()
  for (const { properties } of schemas) {
    for (const [own, shown] of renamedNames(Object.keys(properties ?? {}), rule)) {
      if (restore.has(shown) && restore.get(shown) !== own) unclear.add(shown)
      restore.set(shown, own)
    }
  }
  for (const shown of unclear) restore.delete(shown)
  return restore.size > 0 ? restore : undefined
}
