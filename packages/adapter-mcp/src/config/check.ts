import type { McpOptions } from '../options.ts'
import { checkServer } from './check-server.ts'
import { refusal, requireFunctions } from './refusal.ts'

/**
 * Looks at what the schema of the options cannot say: functions, and fields that contradict each other.
 *
 * @throws InvalidOptionsError naming the place.
 */
export function checkOptions(options: McpOptions): void {
  for (const name of ['elicitation', 'sampling'] as const) {
    const handler: unknown = options[name]
    if (handler === undefined || typeof handler === 'function') continue
    throw refusal(
      'mcp-functions',
      `/${name}`,
      `The option ${name} is no function.`,
      `Give a function that answers the server, or leave ${name} out.`,
    )
  }
  if (options.samplingLimits !== undefined && options.sampling === undefined) {
    throw refusal(
      'mcp-sampling-limits',
      '/samplingLimits',
      'There are samplingLimits and nothing that they limit.',
      'Give the option sampling, or leave samplingLimits out.',
    )
  }
  const stored = ['read', 'write']
  if (options.pins !== undefined) requireFunctions(options.pins.store, stored, '/pins/store')
  if (options.toolCache !== undefined) requireFunctions(options.toolCache, stored, '/toolCache')
  for (const [name, server] of Object.entries(options.servers)) {
    checkServer(name, server)
    if (server.lazy !== true || options.toolCache !== undefined) continue
    throw refusal(
      'mcp-lazy',
      `/servers/${name}/lazy`,
      `MCP server "${name}" is lazy, but nothing would know its tools before it is started.`,
      'Give a toolCache, or leave lazy out.',
    )
  }
}
