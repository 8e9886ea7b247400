import {
  defineAdapter,
  type AdapterHost,
  type AdapterOutput,
  type InvokeContext,
} from '@callgate/spec'

import { createGateway, type Gateway, type GatewayOptions } from '../src/index.ts'

/** A call of the one tool of the gateway. */
export const leakyCall = { name: 'a::b', arguments: {} }

/** A gateway with one tool, `a::b`, of an adapter that may read secrets. */
export function leakyGateway(
  invoke: (host: AdapterHost, context: InvokeContext) => AdapterOutput | Promise<AdapterOutput>,
  more: Omit<GatewayOptions, 'tools' | 'adapters'>,
): Gateway {
  const adapter = defineAdapter<object>({
    contract: 1,
    name: 'leaky',
    capabilities: { isolation: 'none' },
    configSchema: { type: 'object' },
    create: (_, host) => ({ invoke: async (_call, context) => invoke(host, context) }),
  })
  const backend = { adapter: 'leaky' }
  return createGateway({
    tools: [{ namespace: 'a', name: 'b', description: 'c', parameters: true, backend }],
    adapters: [adapter({})],
    ...more,
  })
}
