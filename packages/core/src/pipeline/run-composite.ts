import { ToolError, type AdapterOutput, type ToolResult } from '@callgate/spec'

import { fillTemplate, stepsOf } from '../registry/composite.ts'
import type { Stop } from '../turn/stop.ts'
import type { Call } from './call.ts'
import { outcomeOf } from './outcome-of.ts'
import type { Services } from './services.ts'

const stoppedText = 'The composite tool was stopped; steps of it may have had their effect.'

/**
 * Runs the steps of a composite tool one after another, each through the whole pipeline with this call as its parent.
 * The first step that is not ok ends it, and so does the stop of this attempt: no step runs for a call that has its answer.
 */
export async function runComposite(
  call: Call,
  services: Services,
  stop: Stop,
): Promise<AdapterOutput> {
  const parameters = call.arguments as { readonly [name: string]: unknown }
  const results: ToolResult[] = []
  for (const { tool, arguments: template = {} } of stepsOf(call.entry!.definition)) {
    const args = fillTemplate(
      template,
      parameters,
      results.map(({ data }) => data),
    )
    const result = await services.nested({ name: tool, arguments: args }, call, stop, true)
    if (stop.stopped)
      throw new ToolError({ code: 'cancelled', message: stoppedText, started: 'unknown' })
    results.push(result)
    if (result.status !== 'ok') break
  }
  call.stepsOutcome = outcomeOf(results)
  const { status, data, content } = results.at(-1)!
  return status === 'ok' ? { data, content } : failed(results)
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
