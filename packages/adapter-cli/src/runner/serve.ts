import { directLauncher } from '../process/direct-launcher.ts'
import type { RunRequest } from '../process/request.ts'
import { credit, type Credit } from './credit.ts'
import type { FromRunner, ToRunner } from './messages.ts'

/** A grace longer than this is cut short when the gateway is gone. */
const longestGraceMs = 60_000

interface Active {
  readonly stop: AbortController
  readonly credit: Credit
}

/**
 * The life of the small process that starts programs for the gateway (B14).
 *
 * It does as it is told over the channel. When the channel closes, because the gateway stopped or was killed, it ends
 * all that runs and goes too.
 */
export function serveRunner(): void {
  // It leaves in order when the channel closes, so nothing has to be ended by an exit.
  const launcher = directLauncher(false)
  const active = new Map<number, Active>()
  const run = async (id: number, request: RunRequest): Promise<void> => {
    const running: Active = { stop: new AbortController(), credit: credit() }
    active.set(id, running)
    const end = await launcher.run(
      request,
      (stream, chunk) => {
        send({ type: 'chunk', id, stream, chunk })
        return running.credit.spend(chunk.length)
      },
      running.stop.signal,
    )
    active.delete(id)
    send({ type: 'end', id, end })
  }
  const leave = (): void => {
    void launcher.stop(longestGraceMs).finally(() => process.exit(0))
  }
  process.on('message', (message: ToRunner) => {
    if (message.type === 'run') void run(message.id, message.request)
    else if (message.type === 'abort') active.get(message.id)?.stop.abort()
    else active.get(message.id)?.credit.give(message.bytes)
  })
  process.once('disconnect', leave)
  process.once('SIGTERM', leave)
  send({ type: 'ready' })
}

/** A channel that is closed is dealt with by its event. */
function send(message: FromRunner): void {
  process.send?.(message, () => undefined)
}
