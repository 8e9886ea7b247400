import type { Connection } from '../connect/connection.ts'

const aliveMs = 5000

/**
 * After a call without an answer: a server that does not even answer the cheapest question is hung, unless it still
 * says something else, such as how far another call is. Once for all calls that end together.
 *
 * @param drop gives a hung connection up.
 */
export function createAliveCheck(
  drop: (connection: Connection, reason: string) => void,
): (connection: Connection) => Promise<void> {
  let running: Connection | undefined
  return async (connection) => {
    if (running === connection) return
    running = connection
    const received = connection.received()
    const method = connection.era === 'modern' ? 'server/discover' : 'ping'
    const limits = { idleMs: aliveMs, totalMs: aliveMs, humanMs: aliveMs }
    const reply = await connection.request(method, {}, limits)
    running = undefined
    const silent = connection.received() === received
    if ('fault' in reply && reply.fault.kind === 'timeout' && silent) {
      drop(connection, 'the server does not answer any more')
    }
  }
}
