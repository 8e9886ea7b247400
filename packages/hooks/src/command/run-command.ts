import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import type { Readable } from 'node:stream'

import { endGroup, forget, remember } from './process-group.ts'
import { spawnTurn } from './spawn-turn.ts'

export interface CommandRequest {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string | undefined
  readonly env: { readonly [name: string]: string } | undefined
  /** Written to stdin, which is then closed. */
  readonly input: string
  /** From being asked on: the wait for other commands that are being started is part of it. */
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/** How a command ended. */
export type CommandEnd =
  | {
      readonly kind: 'exited'
      /** null when a signal ended it. */
      readonly code: number | null
      readonly signal: string | null
      readonly stdout: string
      readonly stderr: string
    }
  | { readonly kind: 'not_started'; readonly error: Error }
  | {
      readonly kind: 'timeout'
      /** How far it had come: it waited to be started, ran, or had written to stdout. */
      readonly reached: 'waiting' | 'running' | 'written'
    }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'too_much_output' }

const stdoutLimit = 1024 * 1024
const stderrLimit = 16 * 1024
/** How long output may still come after the command itself is gone. */
const drainMs = 250
/** How long an ended command may take to be gone before nobody waits for it any more. */
const goneMs = 1000

/**
 * Runs a command to its end, without a shell, in a process group of its own; never rejects. The group is ended at
 * the time limit, on the signal, when stdout is too long, and after the command itself has ended, so that nothing of
 * it stays behind.
 */
export async function runCommand(request: CommandRequest): Promise<CommandEnd> {
  const askedAt = performance.now()
  await spawnTurn()
  if (request.signal?.aborted === true) return { kind: 'aborted' }
  const timeoutMs = request.timeoutMs - (performance.now() - askedAt)
  if (timeoutMs <= 0) return { kind: 'timeout', reached: 'waiting' }
  const child = start(request)
  if (child instanceof Error) return { kind: 'not_started', error: child }
  return new Promise((resolve) => watch(child, { ...request, timeoutMs }, resolve))
}

function start(request: CommandRequest): ChildProcessWithoutNullStreams | Error {
  const { command, args, cwd, env } = request
  try {
    return spawn(command, args, {
      shell: false,
      detached: process.platform !== 'win32',
      windowsHide: true,
      ...(cwd === undefined ? {} : { cwd }),
      ...(env === undefined ? {} : { env }),
    })
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

function watch(
  child: ChildProcessWithoutNullStreams,
  { input, timeoutMs, signal }: CommandRequest,
  resolve: (end: CommandEnd) => void,
): void {
  let stopped: CommandEnd | undefined
  let exited = false
  let timer: NodeJS.Timeout | undefined
  // Where this process itself was held up, what came in time is heard before the limit counts.
  const after = (ms: number, run: () => void): void => {
    clearTimeout(timer)
    timer = setTimeout(() => setImmediate(run), ms)
  }
  const settle = (end: CommandEnd): void => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    forget(child)
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
    resolve(stopped ?? end)
  }
  const stop = (end: CommandEnd): void => {
    if (stopped !== undefined) return
    stopped = end
    endGroup(child)
    after(goneMs, () => settle(end))
  }
  const abort = (): void => stop({ kind: 'aborted' })
  const late = (): void => {
    if (exited) return
    stop({ kind: 'timeout', reached: stdout() === '' ? 'running' : 'written' })
  }
  const stdout = capture(child.stdout, stdoutLimit, () => stop({ kind: 'too_much_output' }))
  const stderr = capture(child.stderr, stderrLimit)

  remember(child)
  child.once('error', (error) => settle({ kind: 'not_started', error }))
  child.once('exit', (code, signalName) => {
    exited = true
    endGroup(child)
    const finish = (): void =>
      settle({ kind: 'exited', code, signal: signalName, stdout: stdout(), stderr: stderr() })
    child.once('close', finish)
    after(drainMs, finish)
  })
  signal?.addEventListener('abort', abort)
  after(timeoutMs, late)
  // A command that does not read its input is free to do so.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
}

/** Keeps the first bytes of a stream and reads on, so that the writer is not held up; gives back the text so far. */
function capture(stream: Readable, limit: number, overflow?: () => void): () => string {
  const chunks: Buffer[] = []
  let kept = 0
  stream.on('data', (chunk: Buffer) => {
    const room = limit - kept
    if (chunk.length > room) overflow?.()
    if (room <= 0) return
    chunks.push(chunk.subarray(0, room))
    kept += Math.min(chunk.length, room)
  })
  return () => new TextDecoder().decode(Buffer.concat(chunks))
}
