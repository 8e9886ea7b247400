import { byCodePoint } from '../folder/names.ts'
import { walk, type Found } from '../folder/walk.ts'
import { locate } from '../guard/locate.ts'
import { fail } from '../guard/refuse.ts'
import { parsePath } from '../path/parse-path.ts'
import { isLockName, ownerOf } from '../write/temp-name.ts'
import {
  numberOf,
  output,
  shownPath,
  textOf,
  type Operation,
  type OperationCall,
} from './operation.ts'
import { countSchema, folderSchema, hiddenSchema } from './schemas.ts'

/** One entry of a folder. */
export interface ListEntry {
  /** Relative to the root. */
  readonly path: string
  readonly type: Found['type']
  /** Bytes; of files alone. */
  readonly size?: number
}

/** Data of a listing. */
export interface ListResult {
  readonly path: string
  readonly entries: readonly ListEntry[]
  /** Whether more is there than is shown: by number, or because the time or the names of a folder ran out. */
  readonly truncated: boolean
  /** To be sent as `after` for the next entries. */
  readonly next?: string
}

/** Names of one folder that are sorted; a folder with more is shown in part. */
const maxNames = 200_000

export const list: Operation = {
  name: 'list',
  description:
    'Lists a folder, sorted by name: files with their sizes, folders with "/" behind them, links with "@". With a depth above 1 also the folders below. To find files by name use glob.',
  properties: {
    path: folderSchema,
    depth: countSchema('Levels of folders to show. Default: 1.'),
    hidden: hiddenSchema(true),
    limit: countSchema('Most entries to show.'),
    after: {
      type: 'string',
      description: 'Show what comes after this path: `next` of the answer before.',
    },
  },
  required: [],
  effects: { readOnly: true, idempotent: true },
  paths: { path: 'read' },
  async run(call) {
    const path = parsePath(call.args['path'] ?? '.', 'path')
    const folder = locate(call.root, path, 'path')
    try {
      if (!folder.stat.isDirectory()) {
        fail('not-a-folder', 'path', 'It is a file; read shows what is in it.')
      }
      const { entries, isWhole } = await collect(call, walkOf(call, folder, path.parts))
      const last = entries.at(-1)?.path
      const result: ListResult = {
        path: path.text,
        entries,
        truncated: !isWhole,
        ...(isWhole || last === undefined ? {} : { next: last }),
      }
      return output(result, textFor(result))
    } finally {
      folder.close()
    }
  },
}

function walkOf(
  { root, args, context, shared }: OperationCall,
  folder: Parameters<typeof walk>[0],
  parts: readonly string[],
): AsyncGenerator<Found, boolean> {
  const isHiddenWanted = args['hidden'] !== false
  return walk(folder, parts, {
    root,
    depth: Math.min(numberOf(args['depth']) ?? 1, shared.limits.depth),
    signal: context.signal,
    maxNames,
    // What another call is writing at this moment is not there yet, and a lock is nothing of the user's.
    wants: (name) =>
      (isHiddenWanted || !name.startsWith('.')) &&
      !isLockName(name) &&
      ownerOf(name, Date.now()) !== 'alive',
  })
}

/** As many entries as the limits permit. */
async function collect(
  { args, shared }: OperationCall,
  found: AsyncGenerator<Found, boolean>,
): Promise<{ readonly entries: readonly ListEntry[]; readonly isWhole: boolean }> {
  const limit = Math.min(numberOf(args['limit']) ?? shared.limits.entries, shared.limits.entries)
  const after = textOf(args['after'])?.split('/')
  const endsAt = performance.now() + shared.limits.scanMs
  const entries: ListEntry[] = []
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- a generator with a result
    const step = await found.next()
    if (step.done === true) return { entries, isWhole: step.value }
    if (after !== undefined && compareParts(step.value.parts, after) <= 0) continue
    if (entries.length === limit || performance.now() > endsAt) {
      // oxlint-disable-next-line no-await-in-loop -- closes the folders that are held
      await found.return(false)
      return { entries, isWhole: false }
    }
    entries.push(entryOf(step.value))
  }
}

function entryOf({ parts, type, stat }: Found): ListEntry {
  return { path: parts.join('/'), type, ...(type === 'file' ? { size: stat.size } : {}) }
}

/** The order of the walk: a folder before what is in it, names by code points. */
function compareParts(one: readonly string[], other: readonly string[]): number {
  for (const [index, name] of one.entries()) {
    const against = other[index]
    if (against === undefined) return 1
    if (name !== against) return byCodePoint(name, against)
  }
  return one.length - other.length
}

const marks = { file: '', folder: '/', link: '@', other: ' (special file)' }

function textFor({ entries, truncated, next }: ListResult): string {
  const lines = entries.map(({ path, type, size }) => {
    return `${shownPath(path)}${marks[type]}${size === undefined ? '' : `  ${size}`}`
  })
  if (lines.length === 0) lines.push('[empty]')
  if (next !== undefined) lines.push(`[more: send after ${JSON.stringify(next)}]`)
  else if (truncated) lines.push('[there is more]')
  return lines.join('\n')
}
