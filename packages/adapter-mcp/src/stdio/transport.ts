import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import process from 'node:process'
import type { Writable } from 'node:stream'

import type { JSONRPCMessage, MessageExtraInfo, Transport } from '@modelcontextprotocol/client'

import { FaultError } from '../channel/fault.ts'
import type { OwnTransport } from '../channel/own-transport.ts'
import { commandLine } from './command-line.ts'
import { endProcess } from './end-process.ts'
import { createFramer, type Framer } from './framing.ts'
import { killTree } from './kill.ts'
import { holdGroup } from './live-groups.ts'
import { createStderrRing, type StderrRing } from './stderr-ring.ts'

/** How a stdio server is started; references to secrets are already resolved. */
export interface StdioParameters {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Bytes. */
  readonly maxMessageBytes: number
  readonly graceMs: number
}

/** What a transport reports besides messages. */
export interface StdioEvents {
  stderrLine(line: string): void
  /** `count` so far, this line included. */
  noise(line: string, count: number): void
}

const stderrBytes = 64 * 1024
const tailLines = 20
const drainMs = 250

/** A server as a child in a process group of its own, and newline-framed JSON-RPC over its pipes (R8.4). */
export class StdioTransport implements OwnTransport {
  onmessage?: Transport['onmessage']
  onerror?: Transport['onerror']
  onclose?: Transport['onclose']
  onoversize?: OwnTransport['onoversize']
  readonly #parameters: StdioParameters
  readonly #events: StdioEvents
  readonly #ring: StderrRing
  #child: ChildProcessWithoutNullStreams | undefined
  #framer: Framer | undefined
  #ending: string | undefined
  #closing: Promise<void> | undefined
  #reported = false

  constructor(parameters: StdioParameters, events: StdioEvents) {
    this.#parameters = parameters
    this.#events = events
    this.#ring = createStderrRing(stderrBytes, (line) => events.stderrLine(line))
  }

  /** How the process or the connection to it ended, in words; undefined before that. */
  get ending(): string | undefined {
    return this.#ending
  }

  /** The last lines of stderr, as they came. */
  get stderrTail(): string {
    return this.#ring.tail(tailLines)
  }

  async start(): Promise<void> {
    const child = await launch(this.#parameters)
    this.#child = child
    if (this.#closing !== undefined) killTree(child.pid ?? 0, 'SIGKILL')
    this.#attach(child, child.pid ?? 0)
  }

  send(message: JSONRPCMessage): Promise<void> {
    return write(this.#child, message)
  }

  /** @param withinMs when the server is killed at the latest; who asks again can only shorten it. */
  close(withinMs: number = Infinity): Promise<void> {
    if (this.#closing === undefined) this.#closing = this.#end(withinMs)
    else if (withinMs < Infinity) this.#killIn(withinMs, this.#closing)
    return this.#closing
  }

  #killIn(withinMs: number, closing: Promise<void>): void {
    const pid = this.#child?.pid
    if (pid === undefined) return
    const timer = setTimeout(() => killTree(pid, 'SIGKILL'), withinMs)
    // Once it is gone its number may be that of another.
    void closing.finally(() => clearTimeout(timer))
  }

  #attach(child: ChildProcessWithoutNullStreams, pid: number): void {
    let noise = 0
    const limit = this.#parameters.maxMessageBytes
    const framer = createFramer(limit, {
      message: (message, bytes) => this.onmessage?.(message, { bytes } as MessageExtraInfo),
      oversize: (id, bytes) => this.onoversize?.(id, bytes, limit),
      noise: (line) => {
        noise += 1
        this.#events.noise(line, noise)
      },
      endless: () => this.#break(child, 'wrote a line without an end'),
    })
    this.#framer = framer
    child.stdout.on('data', (chunk: Buffer) => framer.feed(chunk))
    child.stderr.on('data', (chunk: Buffer) => this.#ring.add(chunk))
    for (const part of [child, child.stdin, child.stdout, child.stderr]) {
      part.on('error', (error: Error) => this.onerror?.(error))
    }
    // Without both pipes nothing can be asked of it any more, though it runs on.
    child.stdout.once('end', () => this.#breakSoon(child, 'closed its output'))
    child.stdin.once('error', () => this.#breakSoon(child, 'closed its input'))
    const release = holdGroup(pid)
    child.once('exit', (code, signal) => {
      this.#ending = signal === null ? `exit code ${String(code)}` : `signal ${signal}`
      if (this.#closing === undefined) {
        // What it started must not outlive it. close() does this with its own grace.
        killTree(pid, 'SIGKILL')
        release()
      } else {
        void this.#closing.finally(release)
      }
      // What the server wrote before it ended may still be in the pipe.
      const timer = setTimeout(() => this.#finish(child), drainMs)
      child.once('close', () => {
        clearTimeout(timer)
        this.#finish(child)
      })
    })
  }

  /** A pipe that breaks is mostly the first sign of an exit, which says more; else the server is ended here. */
  #breakSoon(child: ChildProcessWithoutNullStreams, how: string): void {
    const timer = setTimeout(() => this.#break(child, how), drainMs)
    timer.unref()
  }

  #break(child: ChildProcessWithoutNullStreams, how: string): void {
    if (this.#reported || child.exitCode !== null || child.signalCode !== null) return
    this.#ending = `the server ${how}`
    this.#finish(child)
    void this.close()
  }

  async #end(withinMs: number): Promise<void> {
    // Deferred, so that `#closing` is set when the exit event of a fast server comes.
    await Promise.resolve()
    if (this.#child !== undefined) {
      await endProcess(this.#child, this.#parameters.graceMs, withinMs)
    }
    this.#finish(this.#child)
  }

  #finish(child: ChildProcessWithoutNullStreams | undefined): void {
    child?.stdout.destroy()
    child?.stderr.destroy()
    if (this.#reported) return
    this.#reported = true
    this.#framer?.flush()
    this.onclose?.()
  }
}

function launch(parameters: StdioParameters): Promise<ChildProcessWithoutNullStreams> {
  const { command, args, env, cwd } = parameters
  const line = commandLine(command, args, process.platform, env)
  const child = spawn(line.file, [...line.args], {
    env: { ...env },
    ...(cwd === undefined ? {} : { cwd }),
    // A group of its own, so that what the server starts can be ended with it.
    detached: process.platform !== 'win32',
    windowsHide: true,
    windowsVerbatimArguments: line.verbatim,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  return new Promise((resolve, reject) => {
    child.once('spawn', () => {
      child.removeAllListeners('error')
      resolve(child)
    })
    child.once('error', (error) => reject(explained(error, parameters)))
  })
}

/** A folder that is missing looks to the system like a program that is. */
function explained(cause: NodeJS.ErrnoException, { command, cwd }: StdioParameters): Error {
  if (cause.code !== 'ENOENT') return cause
  const folderIsThere = existsSync(cwd ?? '.')
  const what = folderIsThere ? `program ${command}` : `folder ${cwd}`
  const hint = folderIsThere && command.includes(' ') ? '; arguments go into args' : ''
  return new Error(`the ${what} was not found${hint}`, { cause })
}

function write(
  child: ChildProcessWithoutNullStreams | undefined,
  message: JSONRPCMessage,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (child === undefined || child.exitCode !== null || !child.stdin.writable) {
      const reason = 'the server takes no more input'
      reject(new FaultError({ kind: 'unsent', reason }, reason))
      return
    }
    bundle(child.stdin)
    // The promise follows the pipe's own callback: nothing is queued beside it.
    child.stdin.write(`${JSON.stringify(message)}\n`, (error) => {
      if (error) reject(error)
      else resolve()
    })
  })
}

/** Hands what is written in this turn of the event loop to the system at once: a call of it costs as much as the rest. */
function bundle(pipe: Writable): void {
  if (pipe.writableCorked > 0) return
  pipe.cork()
  process.nextTick(() => pipe.uncork())
}
