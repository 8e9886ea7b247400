import { describe, expect, it } from 'vitest'

import { type ReadyClient } from '../src/index.ts'
import { type Running, start } from './host.ts'

type Handler = (notification: { method: string; params?: unknown }) => Promise<void>

/** As much of a client of the SDK as is used; calls of tools fail as they are told to. */
class StubClient implements ReadyClient {
  fallbackNotificationHandler?: Handler | undefined
  failure: Error = new Error('none')

  request(request: never): Promise<unknown> {
    const { method } = request as { readonly method: string }
    return method === 'tools/list'
      ? Promise.resolve({ tools: [{ name: 'echo' }] })
      : Promise.reject(this.failure)
  }

  getServerCapabilities(): unknown {
    return { tools: {} }
  }

  getServerVersion(): unknown {
    return { name: 'stub', version: '1' }
  }

  getInstructions(): undefined {
    return undefined
  }
}

function over(client: StubClient): Promise<Running> {
  return start({ servers: { s: { client } } })
}

describe('A client that is given', () => {
  it.each([
    [-32_000, 'MCP error -32000: the database is busy', 'backend_error'],
    [-32_001, 'MCP error -32001: no such customer', 'backend_error'],
    [-32_000, 'MCP error -32000: Connection closed', 'outcome_unknown'],
    [-32_001, 'MCP error -32001: Request timed out', 'timeout'],
    [-32_001, 'MCP error -32001: Maximum total timeout exceeded', 'timeout'],
  ])('with the error %i, "%s", has failed by %s', async (code, message, expected) => {
    const client = new StubClient()
    const { adapter, call } = await over(client)
    client.failure = Object.assign(new Error(message), { code })
    await expect(call('s.echo')).rejects.toMatchObject({ code: expected })
    await adapter.stop?.({ graceMs: 100 })
  })

  it('is left as it was when the adapter is stopped', async () => {
    const client = new StubClient()
    const own: Handler = () => Promise.resolve()
    client.fallbackNotificationHandler = own
    const { adapter } = await over(client)
    expect(client.fallbackNotificationHandler).not.toBe(own)
    await adapter.stop?.({ graceMs: 100 })
    expect(client.fallbackNotificationHandler).toBe(own)
  })
})
