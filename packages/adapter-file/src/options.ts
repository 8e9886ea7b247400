import type { JsonSchema } from '@callgate/spec'

/** A folder that the tools see as `/`. */
export interface RootOptions {
  /** Relative ones start at the current directory. */
  readonly path: string
  /** Default: true. False: the tools that show what is in it, and edit and copy, are not offered for it. */
  readonly read?: boolean
  /** Default: false, the tools that change something are not offered for it. */
  readonly write?: boolean
  /** Symbolic links: refused (default), or followed where they end inside the root. */
  readonly links?: 'deny' | 'inside'
  /** Files with more than one name: refused (default), or read and not written. The other name may lie anywhere. */
  readonly hardLinks?: 'deny' | 'read'
  /** Default: false, absolute paths are refused. True: one of the host that lies below the root means what is there. */
  readonly normalizePath?: boolean
  /** Patterns of paths that no tool touches or shows, such as `.git/**` or `*.pem`. */
  readonly deny?: readonly string[]
}

/** Bounds of every call; a call may ask for less. */
export interface FileLimits {
  /** Bytes of text in one page of a file. Default: 65,536. */
  readonly pageBytes?: number
  /** Lines in one page. Default: 2,000. */
  readonly pageLines?: number
  /** Bytes of one line of a page or a match; what is longer is cut. Default: 2,000. */
  readonly lineBytes?: number
  /** Entries in one answer of list and glob. Default: 1,000. */
  readonly entries?: number
  /** Matches in one answer of search. Default: 200. */
  readonly matches?: number
  /** Folders below each other that list, glob and search go into. Default: 32. */
  readonly depth?: number
  /** Milliseconds that list, glob and search look around. Default: 10,000. */
  readonly scanMs?: number
  /** Bytes of the largest file that is edited, or whose hash is told. Default: 16 MiB. */
  readonly editBytes?: number
  /** Bytes of the largest file that is written. Default: 64 MiB. */
  readonly fileBytes?: number
  /** Bytes that all calls together may write. Default: no limit. */
  readonly writtenBytes?: number
  /** Files that all calls together may make. Default: no limit. */
  readonly createdFiles?: number
  /** Entries of the largest folder that is moved, or deleted with what it holds. Default: 10,000. */
  readonly treeEntries?: number
}

/** Options of {@link fileAdapter}. */
export interface FileOptions {
  /** By the name that the model sees; the first is the one that is meant when none is named. */
  readonly roots: { readonly [name: string]: RootOptions }
  readonly limits?: FileLimits
}

/** All limits, filled in. */
export type Limits = Required<FileLimits>

export function limitsOf(limits: FileLimits = {}): Limits {
  return {
    pageBytes: 65_536,
    pageLines: 2000,
    lineBytes: 2000,
    entries: 1000,
    matches: 200,
    depth: 32,
    scanMs: 10_000,
    editBytes: 16 * 1024 * 1024,
    fileBytes: 64 * 1024 * 1024,
    writtenBytes: Infinity,
    createdFiles: Infinity,
    treeEntries: 10_000,
    ...limits,
  }
}

const atLeast = (minimum: number): JsonSchema => ({ type: 'integer', minimum })

export const optionsSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['roots'],
  properties: {
    roots: {
      type: 'object',
      minProperties: 1,
      propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$' },
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['path'],
        properties: {
          path: { type: 'string', minLength: 1 },
          read: { type: 'boolean' },
          write: { type: 'boolean' },
          links: { enum: ['deny', 'inside'] },
          hardLinks: { enum: ['deny', 'read'] },
          normalizePath: { type: 'boolean' },
          deny: { type: 'array', items: { type: 'string', minLength: 1 } },
        },
      },
    },
    limits: {
      type: 'object',
      additionalProperties: false,
      properties: {
        // A page holds at least one character of any encoding.
        pageBytes: { type: 'integer', minimum: 256, maximum: 1_048_576 },
        pageLines: atLeast(1),
        lineBytes: atLeast(64),
        entries: atLeast(1),
        matches: atLeast(1),
        depth: atLeast(1),
        scanMs: atLeast(1),
        editBytes: atLeast(0),
        fileBytes: atLeast(0),
        writtenBytes: atLeast(0),
        createdFiles: atLeast(0),
        treeEntries: atLeast(0),
      },
    },
  },
}
