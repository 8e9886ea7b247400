import type { Launcher, OutputSink, RunEnd, RunRequest } from '../process/request.ts'
import { windowBytes, type FromRunner } from './messages.ts'
import { startRunner, type RunnerProcess } from './runner-process.ts'

/** Milliseconds that the runner has, beyond the grace of a program, to say that it ended it. */
const answerMs = 3000

interface Active {
  readonly sink: OutputSink
  readonly finish: (end: RunEnd) => void
  /** Bytes that were taken and not yet told. */
  taken: number
}

/**
 * Starts programs through a small process, so that the memory of this one does not matter: `spawn` stops the event
 * loop for as long as it takes to copy the page tables, 45 ms at 1 GB (B14).
 *
 * The process is started at once, and again when it died; what ran then is lost.
 */
export function runnerLauncher(): Launcher {
  const active = new Map<number, Active>()
  let runner: RunnerProcess | undefined
  let lastRun = 0
  let isStopping = false

  const onMessage = (message: FromRunner): void => {
    const running = message.type === 'ready' ? undefined : active.get(message.id)
    if (running === undefined || message.type === 'ready') return
    if (message.type === 'end') running.finish(message.end)
    else take(running, message, (bytes) => runner?.send({ type: 'taken', id: message.id, bytes }))
  }
  const onGone = (wasReady: boolean): void => {
    runner = undefined
    const ended = [...active.values()]
    for (const { finish } of ended) finish(endOfLost(wasReady, isStopping))
    // What the programs left is ended by the next one, so there must be a next one.
    if (ended.length > 0 && wasReady && !isStopping) start()
  }
  const start = (): RunnerProcess => (runner ??= startRunner(onMessage, onGone))

  const run = (request: RunRequest, sink: OutputSink, signal: AbortSignal): Promise<RunEnd> =>
    new Promise((resolve) => {
      const process = start()
      const id = ++lastRun
      let overdue: NodeJS.Timeout | undefined
      const onAbort = (): void => {
        runner?.send({ type: 'abort', id })
        // A runner that does not answer is ended, and with it what it ran.
        overdue = setTimeout(() => process.kill(), request.graceMs + answerMs)
      }
      const finish = (end: RunEnd): void => {
        clearTimeout(overdue)
        signal.removeEventListener('abort', onAbort)
        active.delete(id)
        if (active.size === 0) runner?.hold(false)
        resolve(end)
      }
      active.set(id, { sink, finish, taken: 0 })
      process.hold(true)
      process.send({ type: 'run', id, request })
      signal.addEventListener('abort', onAbort, { once: true })
      if (signal.aborted) onAbort()
    })
  const stop = async (limitMs: number): Promise<void> => {
    isStopping = true
    await runner?.close(limitMs)
  }
  start()
  return { run, stop }
}

/** Gives output to the sink and tells the runner now and then how much was taken. */
function take(
  running: Active,
  { stream, chunk }: Extract<FromRunner, { type: 'chunk' }>,
  tell: (bytes: number) => void,
): void {
  const taken = (): void => {
    running.taken += chunk.length
    if (running.taken < windowBytes / 4) return
    tell(running.taken)
    running.taken = 0
  }
  const pending = running.sink(stream, chunk)
  if (pending === undefined) taken()
  else void pending.then(taken, taken)
}

function endOfLost(wasReady: boolean, isStopping: boolean): RunEnd {
  if (isStopping) return { kind: 'aborted', survivors: 0 }
  return wasReady
    ? { kind: 'lost' }
    : { kind: 'refused', fault: 'system', detail: 'the process that starts programs did not start' }
}
