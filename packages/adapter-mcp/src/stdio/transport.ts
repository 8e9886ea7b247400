import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import process from 'node:process'

import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'

import { commandLine } from './command-line.ts'
import { endProcess } from './end-process.ts'
import { createFramer } from './framing.ts'
import { killTree } from './kill.ts'
import { holdGroup } from './live-groups.ts'
import { createStderrRing } from './stderr-ring.ts'

/** How a stdio server is started; references to secrets are already resolved. */
export interface StdioParameters {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly maxMessageBytes: number
  readonly graceMs: number
}

/** What a transport reports besides messages. */
export interface StdioEvents {
  stderrLine(line: string): void
  noise(line: string): void
  oversize(id: string | number | undefined, bytes: number): void
}

/** A transport over a child process, with what is known about that process. */
export interface StdioTransport extends Transport {
  /** Both mark a transport as a pipe to a local process for the era negotiation of the client library. */
  readonly pid: number | undefined
  readonly stderr: null
  /** How the process ended, in words; undefined while it runs. */
  ending(): string | undefined
  stderrTail(): string
  noiseCount(): number
}

const stderrBytes = 64 * 1024
const tailLines = 20
const drainMs = 250

/** Starts a server as a child in a process group of its own and speaks newline-framed JSON-RPC with it (R8.4). */
export function createStdioTransport(
  parameters: StdioParameters,
  events: StdioEvents,
): StdioTransport {
  let child: ChildProcessWithoutNullStreams | undefined
  let ended: string | undefined
  let closing: Promise<void> | undefined
  let reported = false
  let noise = 0
  const ring = createStderrRing(stderrBytes, (line) => events.stderrLine(line))

  const transport: StdioTransport = {
    stderr: null,
    get pid() {
      return child?.pid
    },
    ending: () => ended,
    stderrTail: () => ring.tail(tailLines),
    noiseCount: () => noise,
    start: async () => {
      child = await launch(parameters)
      attach(child)
    },
    send: (message) => write(child, message),
    close: () => (closing ??= close()),
  }

  function attach(process_: ChildProcessWithoutNullStreams): void {
    const release = holdGroup(process_.pid ?? 0)
    const feed = createFramer(parameters.maxMessageBytes, {
      message: (message) => transport.onmessage?.(message),
      oversize: (id, bytes) => events.oversize(id, bytes),
      noise: (line) => {
        noise += 1
        events.noise(line)
      },
    })
    process_.stdout.on('data', feed)
    process_.stderr.on('data', (chunk: Buffer) => ring.add(chunk))
    for (const stream of [process_.stdin, process_.stdout, process_.stderr]) {
      stream.on('error', (error) => transport.onerror?.(error))
    }
    process_.on('error', (error) => transport.onerror?.(error))
    process_.once('exit', (code, signal) => {
      ended = signal === null ? `exit code ${String(code)}` : `signal ${signal}`
      // While close() runs it ends the rest of the group itself, with its grace.
      if (closing === undefined) killTree(process_.pid ?? 0, 'SIGKILL')
      // What the server wrote before it ended is still in the pipe.
      const timer = setTimeout(() => finish(process_), drainMs)
      process_.once('close', () => {
        clearTimeout(timer)
        finish(process_)
      })
      if (closing === undefined) release()
      else void closing.finally(release)
    })
  }

  function finish(process_: ChildProcessWithoutNullStreams): void {
    process_.stdout.destroy()
    process_.stderr.destroy()
    if (reported) return
    reported = true
    transport.onclose?.()
  }

  async function close(): Promise<void> {
    // Deferred, so that `closing` is set when the exit event of a fast server comes.
    await Promise.resolve()
    if (child !== undefined) {
      await endProcess(child, parameters.graceMs)
      finish(child)
    } else if (!reported) {
      reported = true
      transport.onclose?.()
    }
  }

  return transport
}

function launch(parameters: StdioParameters): Promise<ChildProcessWithoutNullStreams> {
  const line = commandLine(parameters.command, parameters.args, process.platform, parameters.env)
  const child = spawn(line.file, [...line.args], {
    env: { ...parameters.env },
    ...(parameters.cwd === undefined ? {} : { cwd: parameters.cwd }),
    // A group of its own, so that what the server starts can be ended with it.
    detached: process.platform !== 'win32',
    windowsHide: true,
    windowsVerbatimArguments: line.verbatim,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  return new Promise((resolve, reject) => {
    child.once('spawn', () => {
      child.off('error', reject)
      resolve(child)
    })
    child.once('error', reject)
  })
}

function write(
  child: ChildProcessWithoutNullStreams | undefined,
  message: JSONRPCMessage,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (child === undefined || child.exitCode !== null || !child.stdin.writable) {
      reject(new Error('The server process has ended.'))
      return
    }
    // Resolving with the pipe's own callback is the backpressure: nothing is queued beside it.
    child.stdin.write(`${JSON.stringify(message)}\n`, (error) => {
      if (error) reject(error)
      else resolve()
    })
  })
}
