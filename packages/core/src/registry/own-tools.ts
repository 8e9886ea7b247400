import { InvalidToolError, type ToolDefinition, type ToolId } from '@callgate/spec'

import type { FunctionTool } from '../define-tool.ts'
import type { Registry } from './registry.ts'

/** Adds or replaces a tool of the program that made the gateway. @throws InvalidToolError */
export function addOwn(registry: Registry, tool: ToolDefinition | FunctionTool): ToolId {
  return registry.add(tool, { owner: 'code', deferred: false }).id
}

/** To add a tool again changes it; in one list it is a slip that would leave one of the two out. @throws InvalidToolError */
export function addAllOwn(
  registry: Registry,
  tools: readonly (ToolDefinition | FunctionTool)[],
): void {
  const places = new Map<ToolId, number>()
  for (const [place, tool] of tools.entries()) {
    const id = addOwn(registry, tool)
    const before = places.get(id)
    if (before !== undefined) throw givenTwice(id, before, place)
    places.set(id, place)
  }
}

function givenTwice(id: ToolId, first: number, second: number): InvalidToolError {
  return new InvalidToolError({
    rule: 'duplicate-tool',
    where: `/tools/${second}`,
    message: `createGateway: tools.${first} and tools.${second} are both ${id}.`,
    hint: 'Give one of the two another name or namespace, or leave it out.',
  })
}
