import type {
  AdapterCall,
  AdapterHost,
  AdapterInstance,
  AdapterOutput,
  InvokeContext,
  ToolDefinition,
} from '@callgate/spec'

import { secretSource } from '../auth/secrets.ts'
import { checkNotStopped, perform } from '../exchange/perform.ts'
import { parseAllowList } from '../guard/allow-list.ts'
import { checkNetwork } from '../guard/network.ts'
import { createDocuments } from './documents.ts'
import { checkHealth } from './health.ts'
import type { HttpAdapterOptions } from './options.ts'
import { createPools } from './pools.ts'
import { createRunning } from './running.ts'
import { createToolbox } from './toolbox.ts'

/**
 * Makes the adapter of a host. No I/O: documents are read by `start`, or by `discover` where it comes first.
 *
 * @throws InvalidOptionsError: `adapter-options`, `allow-entry`, and what {@link createDocuments} throws.
 */
export function createInstance(
  options: HttpAdapterOptions,
  host: AdapterHost,
  adapterName: string,
): AdapterInstance {
  checkNetwork(options.network)
  parseAllowList(options.allow ?? [])
  const secret = secretSource((name) => host.secret(name))
  const pools = createPools(options)
  const running = createRunning()
  const documents = createDocuments(options, secret, pools.forPolicy, host.log)
  const toolbox = createToolbox(options, host, documents, secret, pools)
  return {
    start: async (signal) => {
      await documents.load(signal)
    },
    discover: async (signal): Promise<readonly ToolDefinition[]> =>
      (await documents.load(signal)).flatMap(({ tools }) =>
        tools.map((tool) => runBy(tool, adapterName)),
      ),
    accept: (tool) => {
      toolbox.check(tool)
    },
    invoke: async (call: AdapterCall, context: InvokeContext): Promise<AdapterOutput> => {
      checkNotStopped(context.signal)
      return running.track(perform(toolbox.exchange(call.tool), call, context))
    },
    health: (signal) =>
      checkHealth(
        [...documents.origins(), ...toolbox.origins()],
        documents.troubles(),
        options,
        signal,
      ),
    stop: async ({ graceMs }) => {
      await running.settle(graceMs)
      await pools.close()
    },
  }
}

function runBy(tool: ToolDefinition, adapter: string): ToolDefinition {
  return { ...tool, backend: { ...tool.backend, adapter } }
}
