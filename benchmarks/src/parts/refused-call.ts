import {
  ToolError,
  type AdapterCall,
  type AdapterInstance,
  type ToolDefinition,
} from '@callgate/spec'

import type { Subject } from '../measure.ts'
import { silentContext } from './silent-host.ts'

/** A call that the guards of an adapter refuse at the last value: what the checks cost, the error included. */
export function refusedCall(
  name: string,
  instance: AdapterInstance,
  tool: ToolDefinition,
  args: AdapterCall['arguments'],
): Subject {
  const call = { callId: 'c', tool, arguments: args, idempotencyKey: 'c', attempt: 1 }
  return {
    name,
    run: async (count) => {
      for (let index = 0; index < count; index += 1) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const refused = await instance.invoke(call, silentContext).catch(isRefusal)
        if (refused !== true) throw new Error(`${name}: it was not refused`)
      }
    },
  }
}

/** The floor of {@link refusedCall}: the error alone. */
export const thrownError: Subject = {
  name: 'an error, thrown and caught',
  run: async (count) => {
    for (let index = 0; index < count; index += 1) {
      const error = new ToolError({ code: 'guard_refused', message: 'x', started: 'no' })
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await Promise.reject(error).catch(isRefusal)
    }
  },
}

function isRefusal(error: unknown): boolean {
  return ToolError.isInstance(error) && error.code === 'guard_refused'
}

/** A declared tool whose parameters are all texts. */
export function declaredTool(
  backend: ToolDefinition['backend'],
  names: readonly string[] = [],
): ToolDefinition {
  return {
    namespace: 'local',
    name: 'tool',
    description: 'A tool of the benchmark.',
    parameters: {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    },
    backend,
  }
}
