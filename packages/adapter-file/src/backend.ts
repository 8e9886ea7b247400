import type { OperationName } from './operations/operation.ts'

/** `backend` of a tool that is declared for this adapter: one operation, in one root if it says so. */
export interface FileBackend {
  readonly adapter: string
  readonly operation: OperationName
  /** Default: the parameter `root`, else the first root. */
  readonly root?: string
  /** Default: as the root says. */
  readonly normalizePath?: boolean
}
