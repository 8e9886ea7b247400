import { Client, type ClientCapabilities } from '@modelcontextprotocol/client'

import type { CallbackMethod, Callbacks } from '../callbacks/callbacks.ts'
import type { JsonRecord } from '../record.ts'
import type { Self } from './negotiate.ts'

const declared: Readonly<Record<CallbackMethod, ClientCapabilities>> = {
  'elicitation/create': { elicitation: { form: { applyDefaults: true }, url: {} } },
  'sampling/createMessage': { sampling: {} },
  'roots/list': { roots: { listChanged: true } },
}

/** What the adapter says it can do: only what the host gave handlers for. */
export function clientCapabilities(callbacks: Callbacks): ClientCapabilities {
  return Object.assign(
    {},
    ...callbacks.methods.map((method) => declared[method]),
  ) as ClientCapabilities
}

/** A client of the official SDK for the handshake and for what servers ask of us; calls go beside it. */
export function createClient(
  self: Self,
  callbacks: Callbacks,
  answer: (method: string, params: JsonRecord, signal: AbortSignal) => Promise<JsonRecord>,
): Client {
  const client = new Client(
    { ...self.clientInfo },
    {
      capabilities: self.capabilities,
      // Results are checked by the host's validator, so none is compiled here.
      jsonSchemaValidator: {
        getValidator: () => (input: unknown) => ({
          valid: true,
          data: input as never,
          errorMessage: undefined,
        }),
      },
    },
  )
  for (const method of callbacks.methods) {
    client.setRequestHandler(method, async (request, context) => {
      const params = (request.params ?? {}) as unknown as JsonRecord
      // The library checks the answer against the protocol before it is sent.
      return (await answer(method, params, context.mcpReq.signal)) as never
    })
  }
  return client
}
