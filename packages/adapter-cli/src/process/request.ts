import type { FileIdentity } from '../declare/program.ts'
import type { CgroupPlan } from '../isolate/cgroup.ts'

export type Stream = 'stdout' | 'stderr'

/** All that is needed to run one program; plain data, so that another process can do it. */
export interface RunRequest {
  /** The program that must still be the file it was. */
  readonly program: { readonly path: string; readonly identity: FileIdentity }
  /** What is started: the program itself, or what confines it. */
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: { readonly [name: string]: string }
  readonly stdin: string | undefined
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly graceMs: number
  /** Whether descriptor 3 tells how the program ended (bubblewrap). */
  readonly statusDescriptor: boolean
  /** Undefined: no group of its own. */
  readonly cgroup: CgroupPlan | undefined
}

/** How a run ended. */
export type RunEnd =
  | {
      readonly kind: 'exited'
      readonly exitCode: number | undefined
      readonly signal: string | undefined
      readonly durationMs: number
      /** A fork failed because of the limit of processes. */
      readonly hitProcessLimit: boolean
      /** Processes that were still there when the program had ended, and were ended too. */
      readonly leftovers: number
    }
  /** The signal of the caller fired; the tree was ended. `survivors` could not be ended. */
  | { readonly kind: 'aborted'; readonly survivors: number }
  | { readonly kind: 'refused'; readonly fault: RunFault; readonly detail: string }
  /** Whoever ran it died; nobody knows what the program did. */
  | { readonly kind: 'lost' }

/** Why nothing ran. */
export type RunFault =
  | 'missing'
  | 'changed'
  | 'working-dir'
  | 'not-permitted'
  | 'too-long'
  | 'sandbox'
  | 'cgroup'
  | 'system'

/** Takes output as it comes; while the returned promise is pending no more is read. */
export type OutputSink = (stream: Stream, chunk: Uint8Array) => void | Promise<void>

/** Something that runs programs: this process, or a small one beside it. */
export interface Launcher {
  /** Never rejects for what the program did. */
  run(request: RunRequest, sink: OutputSink, signal: AbortSignal): Promise<RunEnd>
  /** Ends all that runs; takes at most about so many milliseconds. */
  stop(limitMs: number): Promise<void>
}
