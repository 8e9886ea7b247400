import { lstatSync } from 'node:fs'

import { ToolError } from '@callgate/spec'

import type { Entry } from '../guard/entry.ts'
import { openStrictly } from '../guard/locate.ts'
import { throwIfAborted } from '../guard/refuse.ts'
import { textOfRawPath } from '../path/raw-name.ts'
import type { Root } from '../roots/root.ts'
import { globPlan } from '../search/glob-pattern.ts'
import { endOfName, recordsOf } from '../search/records.ts'
import { ripgrep } from '../search/ripgrep.ts'
import { scan, selection, type Scan } from '../search/scan.ts'
import { numberOf, output, shownPath, type Operation, type OperationCall } from './operation.ts'
import { countSchema, folderSchema, hiddenSchema, ignoredSchema } from './schemas.ts'

/** Data of a look for files by name. */
export interface GlobResult {
  /** Relative to the root, sorted folder by folder. */
  readonly paths: readonly string[]
  readonly truncated: boolean
}

export const glob: Operation = {
  name: 'glob',
  description:
    'Finds files by name: "*.ts" at every depth, "src/*.ts" only in src, "src/**/*.test.ts" below src, "*.{js,ts}". Leaves out what .gitignore names, and hidden files unless the pattern or hidden asks for them.',
  properties: {
    glob: { type: 'string', description: 'The pattern, relative to dir.' },
    dir: folderSchema,
    hidden: hiddenSchema(false),
    ignored: ignoredSchema,
    limit: countSchema('Most paths to show.'),
  },
  required: ['glob'],
  effects: { readOnly: true, idempotent: true },
  paths: { dir: 'read' },
  async run(call) {
    const plan = globPlan(call.args['glob'], 'glob')
    const found = await scan(call, plan, (each) => find(call, plan.pattern, each))
    const result = found ?? { paths: [], truncated: false }
    throwIfAborted(call.context.signal)
    return output(result, textFor(result))
  },
}

async function find(
  call: OperationCall,
  pattern: string | undefined,
  { folder, parts, signal, isLate }: Scan,
): Promise<GlobResult> {
  const { args, root, shared } = call
  const limit = Math.min(numberOf(args['limit']) ?? shared.limits.entries, shared.limits.entries)
  const wanted = pattern === undefined ? [] : [`--glob=${pattern}`]
  const paths: string[] = []
  // What is excluded comes last: the last pattern that fits decides.
  const flags = ['--files', ...wanted, ...selection(call)]
  for await (const record of recordsOf(ripgrep(folder, flags, signal), endOfName)) {
    const found = [...parts, ...textOfRawPath(record.subarray(0, -1)).split('/')]
    if (!isThere(root, found)) continue
    if (paths.length === limit) return { paths, truncated: true }
    paths.push(found.join('/'))
  }
  return { paths, truncated: isLate() }
}

/** ripgrep goes by names, and somebody may have led it away meanwhile: what it found is looked for from the root. */
function isThere(root: Root, parts: readonly string[]): boolean {
  if (root.isDenied(parts)) return false
  let folder: Entry
  try {
    folder = openStrictly(root, parts.slice(0, -1), 'dir')
  } catch (error) {
    if (ToolError.isInstance(error)) return false
    throw error
  }
  try {
    return lstatSync(folder.child(parts.at(-1) ?? ''), { throwIfNoEntry: false })?.isFile() ?? false
  } finally {
    folder.close()
  }
}

function textFor({ paths, truncated }: GlobResult): string {
  const lines = paths.length === 0 ? ['[no file]'] : paths.map(shownPath)
  if (truncated) lines.push('[there are more: use a narrower pattern or another dir]')
  return lines.join('\n')
}
