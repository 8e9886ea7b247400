import type { CallContext } from '@callgate/spec'

import type { ModelTool } from '../options.ts'
import type { Services } from '../pipeline/services.ts'
import type { ToolEntry } from '../registry/tool-entry.ts'
import { toolSearch } from './bridge-names.ts'
import { listCatalogue, tokensOf } from './listing.ts'
import { resultRead } from './read-result.ts'
import { shownTools } from './shown-tools.ts'

/** Of so many groups the tools are shown when a task says what the turn is about. */
const shownGroups = 3

/**
 * What the model is shown (R1.1): the direct tools, of groups only those that fit the task, and the bridge tools, which
 * say what else there is. A small catalogue is shown whole.
 */
export function modelTools(context: CallContext, services: Services): readonly ModelTool[] {
  const visible = shownTools(context, services)
  const direct = withinGroups(
    visible.filter(({ deferred }) => !deferred),
    context,
    services,
  )
  const deferred = visible.filter((entry) => entry.deferred)
  const { directUnderTokens, listingTokens } = services.settings
  const small = areUnder(deferred, directUnderTokens)
  const shown = small ? [...direct, ...deferred] : direct
  const catalogue = small ? '' : listCatalogue(deferred, listingTokens)
  return [...shown.map(toModel), ...bridgeTools(catalogue, services)]
}

function withinGroups(
  entries: readonly ToolEntry[],
  context: CallContext,
  services: Services,
): readonly ToolEntry[] {
  const { task } = context
  if (task === undefined || !entries.some(({ definition }) => definition.groups !== undefined))
    return entries
  const groups = fittingGroups(task, context, services)
  if (groups.size === 0) return entries
  return entries.filter(
    ({ definition }) =>
      definition.groups === undefined || definition.groups.some((group) => groups.has(group)),
  )
}

/** The groups whose tools fit the task best (R5.7). */
function fittingGroups(
  task: string,
  context: CallContext,
  services: Services,
): ReadonlySet<string> {
  const scores = new Map<string, number>()
  const [found] = services.registry.search([task], { limit: 50, context })
  for (const { id, score } of found?.hits ?? []) {
    for (const group of services.registry.find(id)?.definition.groups ?? []) {
      scores.set(group, (scores.get(group) ?? 0) + score)
    }
  }
  const best = [...scores].toSorted(([, a], [, b]) => b - a).slice(0, shownGroups)
  return new Set(best.map(([group]) => group))
}

/** Stops to count where it is clear: there may be ten thousand. */
function areUnder(entries: readonly ToolEntry[], maxTokens: number): boolean {
  let tokens = 0
  for (const entry of entries) {
    tokens += definitionTokens(entry)
    if (tokens > maxTokens) return false
  }
  return true
}

function definitionTokens({ wireName, definition }: ToolEntry): number {
  return tokensOf(wireName + definition.description + JSON.stringify(definition.parameters))
}

function toModel({ wireName, definition }: ToolEntry): ModelTool {
  return { name: wireName, description: definition.description, parameters: definition.parameters }
}

function bridgeTools(catalogue: string, { registry, spills }: Services): readonly ModelTool[] {
  return (
    registry
      .reserved()
      // Nothing kept, nothing to read.
      .filter(({ wireName }) => wireName !== resultRead || spills.any)
      .map((entry) => {
        const tool = toModel(entry)
        return catalogue === '' || tool.name !== toolSearch
          ? tool
          : { ...tool, description: `${tool.description}\n\nThere are:\n${catalogue}` }
      })
  )
}
