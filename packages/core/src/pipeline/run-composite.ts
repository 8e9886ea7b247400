import type { AdapterOutput, ToolResult } from '@callgate/spec'

import { fillTemplate, stepsOf } from '../registry/composite.ts'
import type { Call } from './call.ts'
import type { Services } from './services.ts'

/**
 * Runs the steps of a composite tool one after another, each through the whole pipeline with this call as its parent.
 * The first step that is not ok ends it.
 */
export async function runComposite(call: Call, services: Services): Promise<AdapterOutput> {
  const parameters = call.arguments as { readonly [name: string]: unknown }
  const results: ToolResult[] = []
  for (const { tool, arguments: template = {} } of stepsOf(call.entry!.definition)) {
    const args = fillTemplate(
      template,
      parameters,
      results.map(({ data }) => data),
    )
    const result = await services.nested({ name: tool, arguments: args }, call)
    results.push(result)
    if (result.status !== 'ok') return failed(results)
  }
  const { data, content } = results.at(-1)!
  return { data, content }
}

function failed(results: readonly ToolResult[]): AdapterOutput {
  const { tool, error } = results.at(-1)!
  const message = `Step ${results.length} (${tool}) did not succeed: ${error?.message ?? 'no reason given'}`
  return {
    isError: true,
    data: { done: results.length - 1, failed: tool, code: error?.code ?? null },
    content: [{ type: 'text', text: message }],
  }
}
