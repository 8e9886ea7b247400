import type { Root } from '../roots/root.ts'
import { copy } from './copy.ts'
import { remove } from './delete.ts'
import { edit } from './edit.ts'
import { glob } from './glob.ts'
import { list } from './list.ts'
import { mkdir } from './mkdir.ts'
import { move } from './move.ts'
import type { Operation } from './operation.ts'
import { read } from './read.ts'
import { search } from './search.ts'
import { stat } from './stat.ts'
import { write } from './write.ts'

const all = [read, list, glob, search, stat, write, edit, mkdir, move, copy, remove]

/** Everything that can be done with files, by name, in the order in which it is shown. */
export const operations: ReadonlyMap<string, Operation> = new Map(
  all.map((each) => [each.name, each]),
)

export function isChange({ effects }: Operation): boolean {
  return effects.readOnly !== true
}

/** Operations that change something by what they read. */
const reading: ReadonlySet<string> = new Set(['edit', 'copy'])

/** Whether an operation shows or carries on what is in files or folders. */
export function isReading(operation: Operation): boolean {
  return !isChange(operation) || reading.has(operation.name)
}

/** Whether a root permits an operation: reading and writing are allowed apart. */
export function permits(root: Pick<Root, 'read' | 'write'>, operation: Operation): boolean {
  return (root.read || !isReading(operation)) && (root.write || !isChange(operation))
}
