import type { AdapterOutput, InvokeContext, JsonSchema, ToolEffects } from '@callgate/spec'

import type { Limits } from '../options.ts'
import type { HashCache } from '../read/content-hash.ts'
import type { LineIndex } from '../read/line-index.ts'
import type { Root } from '../roots/root.ts'
import type { Quota } from '../write/quota.ts'

export type OperationName =
  | 'read'
  | 'list'
  | 'glob'
  | 'search'
  | 'stat'
  | 'write'
  | 'edit'
  | 'mkdir'
  | 'move'
  | 'copy'
  | 'delete'

/** What one call works with. */
export interface OperationCall {
  readonly root: Root
  /** Validated by the schema of the tool, which may be narrower than the operation's own. */
  readonly args: { readonly [name: string]: unknown }
  readonly context: InvokeContext
  readonly shared: Shared
}

/** What all calls of an adapter share. */
export interface Shared {
  readonly limits: Limits
  readonly lines: LineIndex
  readonly hashes: HashCache
  readonly quota: Quota
}

/** One thing that can be done with files, as data. */
export interface Operation {
  readonly name: OperationName
  /** For the model. */
  readonly description: string
  readonly properties: { readonly [name: string]: JsonSchema }
  readonly required: readonly string[]
  readonly effects: Omit<ToolEffects, 'resources'>
  /** Where the judgement of a call's risk starts; without it, a destructive operation starts at medium (R9.2). */
  readonly riskLevel?: 'low'
  /** Parameters that are paths, and whether what they name is changed. */
  readonly paths: { readonly [parameter: string]: 'read' | 'write' }
  run(call: OperationCall): Promise<AdapterOutput>
}

/** A whole number that the schema of the tool let through; undefined where none was given. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** A text argument; undefined for everything else. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** A path in a text of lines: on one line, whatever its names hold. */
export function shownPath(path: string): string {
  return /[\p{Cc}\u2028\u2029]/u.test(path) ? JSON.stringify(path) : path
}

/** An output with the same facts as data and as text for the model. */
export function output(data: object, ...texts: readonly string[]): AdapterOutput {
  return { data, content: texts.map((text) => ({ type: 'text', text })) }
}
