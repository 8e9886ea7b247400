import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'

import { execa, type ResultPromise } from 'execa'

import { deferred } from './deferred.ts'
import { markerName } from './marker.ts'
import type { RunFault, RunRequest } from './request.ts'
import { intoGroup, type RunGroup } from './run-group.ts'

export interface Exit {
  readonly code: number | undefined
  readonly signal: string | undefined
}

/** A program that runs. */
export interface Started {
  readonly pid: number
  readonly exit: Promise<Exit>
  readonly stdout: Readable
  readonly stderr: Readable
  /** Descriptor 3, when the request asks for it. */
  readonly status: Readable | undefined
  /** Signals the process group, or on Windows ends the tree; for where there is no table of processes. */
  readonly signal: (name: 'SIGTERM' | 'SIGKILL') => void
}

export interface NotStarted {
  readonly pid?: undefined
  readonly fault: RunFault
  readonly detail: string
}

/** Starts the program of a request: no shell, no environment but the declared one, a process group of its own. */
export async function startProgram(
  request: RunRequest,
  marker: string,
  endsWithUs: boolean,
  group: RunGroup | undefined,
): Promise<Started | NotStarted> {
  let running: ResultPromise
  try {
    running = spawn(request, marker, endsWithUs, group)
  } catch (error) {
    // What execa itself refuses, such as a NUL in an argument.
    return { fault: 'system', detail: String(error) }
  }
  // The promise of execa waits for the pipes, which a descendant may hold: the events of the process are what counts.
  const child: ChildProcess = running.nodeChildProcess
  const { pid, stdin: entry, stdout, stderr, stdio } = child
  if (pid === undefined || stdout === null || stderr === null) {
    const { code = 'unknown', shortMessage = '' } = (await running) as {
      code?: string
      shortMessage?: string
    }
    return { fault: faults[code] ?? 'system', detail: `${code} ${shortMessage}` }
  }
  const exit = deferred<Exit>()
  child.once('exit', (code, signal) =>
    exit.resolve({ code: code ?? undefined, signal: signal ?? undefined }),
  )
  // A program that does not read its input is no fault of the call.
  entry?.on('error', () => undefined).end(request.stdin)
  const status = request.statusDescriptor ? (stdio[3] as Readable) : undefined
  const signal = (name: 'SIGTERM' | 'SIGKILL'): void => void running.kill(name)
  return { pid, exit: exit.promise, stdout, stderr, status, signal }
}

function spawn(
  { file, args, cwd, env, stdin, statusDescriptor }: RunRequest,
  marker: string,
  endsWithUs: boolean,
  group: RunGroup | undefined,
): ResultPromise {
  const input = stdin === undefined ? 'ignore' : 'pipe'
  const vector = [...(group === undefined ? [] : intoGroup(group.procs)), file, ...args]
  const [first = file, ...rest] = vector
  return execa(first, rest, {
    cwd,
    env: { ...env, [markerName]: marker },
    extendEnv: false,
    shell: false,
    preferLocal: false,
    stdio: statusDescriptor ? [input, 'pipe', 'pipe', 'pipe'] : [input, 'pipe', 'pipe'],
    buffer: false,
    reject: false,
    // A process group of its own; the rest of the tree is seen to by `end-tree.ts`.
    killDescendants: true,
    forceKillAfterDelay: false,
    // Costs half a millisecond for each program, in signal handlers that come and go.
    cleanup: endsWithUs,
  }) as unknown as ResultPromise
}

const faults: { readonly [code: string]: RunFault } = {
  ENOENT: 'missing',
  EACCES: 'not-permitted',
  EPERM: 'not-permitted',
  E2BIG: 'too-long',
}
