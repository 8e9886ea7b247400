import type { RunEnd, RunRequest, Stream } from '../process/request.ts'

/** What the gateway tells the process that starts programs. */
export type ToRunner =
  | { readonly type: 'run'; readonly id: number; readonly request: RunRequest }
  | { readonly type: 'abort'; readonly id: number }
  /** Bytes of output that were taken; see {@link windowBytes}. */
  | { readonly type: 'taken'; readonly id: number; readonly bytes: number }

/** What it answers. */
export type FromRunner =
  | { readonly type: 'ready' }
  | {
      readonly type: 'chunk'
      readonly id: number
      readonly stream: Stream
      readonly chunk: Uint8Array
    }
  | { readonly type: 'end'; readonly id: number; readonly end: RunEnd }

/** Bytes of one run that may be on the way before the program is made to wait. */
export const windowBytes: number = 1024 ** 2
