import { defineAdapter, requireOptions, type BoundAdapter } from '@callgate/spec'

import { createInstance } from './instance.ts'
import { optionsSchema } from './options-schema.ts'
import type { HttpAdapterOptions } from './options.ts'

/**
 * HTTP operations as tools (R8.3): from OpenAPI documents, or declared by hand for the adapter `http`.
 *
 * Takes documents, targets and limits; gives back an adapter for `createGateway`. Nothing is read or opened
 * before the gateway starts.
 *
 * @throws InvalidOptionsError when the name does not fit, or there are no options; `create` throws it for the other options.
 */
export function httpAdapter(
  options: HttpAdapterOptions & { readonly name?: string },
): BoundAdapter {
  requireOptions('http', options)
  const { name = 'http' } = options
  return defineAdapter<HttpAdapterOptions>({
    contract: 1,
    name: 'http',
    capabilities: {
      cancel: true,
      progress: true,
      health: true,
      idempotencyKey: true,
      isolation: 'connection',
    },
    configSchema: optionsSchema,
    // Tools of documents name the adapter that runs them, and that is the name it has here.
    create: (settings, host) => createInstance(settings, host, name),
  })(options)
}
