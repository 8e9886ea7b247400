import {
  Client,
  type ClientCapabilities,
  type ElicitResult,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client'

import type { Callbacks } from '../callbacks/callbacks.ts'
import type { JsonRecord } from '../record.ts'

/** What the adapter says it can do: only what the host gave handlers for. */
export function clientCapabilities(callbacks: Callbacks): ClientCapabilities {
  return {
    ...(callbacks.has.elicitation
      ? { elicitation: { form: { applyDefaults: true }, url: {} } }
      : {}),
    ...(callbacks.has.sampling ? { sampling: {} } : {}),
    ...(callbacks.has.roots ? { roots: {} } : {}),
  }
}

/** A client of the official SDK for the handshake and for what servers ask of us; calls go beside it. */
export function createClient(
  clientInfo: { readonly name: string; readonly version: string },
  mode: VersionNegotiationMode,
  probeMs: number,
  callbacks: Callbacks,
  answer: (method: string, params: JsonRecord, signal: AbortSignal) => Promise<JsonRecord>,
): Client {
  const client = new Client(
    { ...clientInfo },
    {
      capabilities: clientCapabilities(callbacks),
      versionNegotiation: { mode, probe: { timeoutMs: probeMs } },
      // Results are checked by the host's validator, so none is compiled here.
      jsonSchemaValidator: {
        getValidator:
          <T>() =>
          (input: unknown) => ({ valid: true, data: input as T & {}, errorMessage: undefined }),
      },
    },
  )
  if (callbacks.has.elicitation) {
    client.setRequestHandler('elicitation/create', async (request, context) => {
      const given = request.params as unknown as JsonRecord
      const result = await answer('elicitation/create', given, context.mcpReq.signal)
      return result as unknown as ElicitResult
    })
  }
  if (callbacks.has.sampling) {
    client.setRequestHandler('sampling/createMessage', async (request, context) => {
      const given = request.params as unknown as JsonRecord
      return (await answer('sampling/createMessage', given, context.mcpReq.signal)) as never
    })
  }
  if (callbacks.has.roots) {
    client.setRequestHandler('roots/list', async (_request, context) => {
      return (await answer('roots/list', {}, context.mcpReq.signal)) as never
    })
  }
  return client
}
