import { builtInAdapters } from '../registry/tool-entry.ts'
import { failure, type Failure } from '../results/failure.ts'
import type { Call } from './call.ts'
import type { Services } from './services.ts'

/** Step 2: whether the gateway has the adapter that the tool names. A tool that the caller may not see is left to step 3. */
export function findAdapter(call: Call, services: Services): Failure | undefined {
  const { definition } = call.entry!
  const name = definition.backend.adapter
  if (builtInAdapters.has(name) || services.adapters.has(name)) return undefined
  if (!services.visibility.allows(definition, call.context)) return undefined
  return failure(
    'no_adapter',
    `The tool ${call.toolId} needs the adapter "${name}", which is not there.`,
    {
      hint: 'Use another tool.',
    },
  )
}
