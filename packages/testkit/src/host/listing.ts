import type { AdapterInstance, BoundAdapter, ToolDefinition } from '@callgate/spec'

import { checkTools } from './shapes.ts'

const discoverMs = 60_000

/** The tools that an adapter announces, with their namespaces completed as the core does it. */
export async function listed(
  bound: BoundAdapter,
  instance: AdapterInstance,
): Promise<readonly ToolDefinition[]> {
  const found = (await instance.discover?.(AbortSignal.timeout(discoverMs))) ?? []
  checkTools(found)
  return found.map((tool) => ({ ...tool, namespace: complete(bound.name, tool.namespace) }))
}

function complete(adapter: string, namespace: string | undefined): string {
  if (namespace === undefined || namespace === adapter) return adapter
  return namespace.startsWith(`${adapter}::`) ? namespace : `${adapter}::${namespace}`
}
