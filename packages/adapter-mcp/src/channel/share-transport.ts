import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'

import type { JsonRecord } from '../record.ts'
import { unanswered } from './fault.ts'

/** A second face of a transport for the client library, which sets its own callbacks on what it gets. */
export function shareTransport(transport: Transport, send: Transport['send']): Transport {
  const face: Transport = {
    // Started before the handshake, to ask the server for its era.
    start: () => Promise.resolve(),
    send: (message, options) =>
      send(message, {
        onRequestStreamEnd: () => face.onmessage?.(noAnswer(message)),
        ...options,
      }),
    close: () => transport.close(),
    setProtocolVersion: (version) => transport.setProtocolVersion?.(version),
    ...(transport.hasPerRequestStream === undefined
      ? {}
      : { hasPerRequestStream: transport.hasPerRequestStream }),
  }
  return face
}

/** What the client library is told about a stream that ended, since it waits for an answer only. */
function noAnswer(message: JSONRPCMessage): JSONRPCMessage {
  const id = (message as JsonRecord)['id'] as number
  return { jsonrpc: '2.0', id, error: { code: -32_000, message: `The reply ${unanswered}.` } }
}
