import { checkPattern } from '../guard/check-text.ts'
import { refuse, throwIfAborted } from '../guard/refuse.ts'
import { textOfRawPath } from '../path/raw-name.ts'
import type { Excerpt } from '../search/excerpt.ts'
import { globPlan } from '../search/glob-pattern.ts'
import { openMatchFile, type MatchFile } from '../search/match-reader.ts'
import { endOfMatch, recordsOf } from '../search/records.ts'
import { ripgrep } from '../search/ripgrep.ts'
import { scan, selection, type Scan } from '../search/scan.ts'
import { numberOf, output, shownPath, type Operation, type OperationCall } from './operation.ts'
import { countSchema, folderSchema, hiddenSchema, ignoredSchema } from './schemas.ts'

/** One line in which the pattern was found. */
export interface SearchMatch extends Excerpt {
  /** Relative to the root. */
  readonly path: string
  /** From 1. */
  readonly line: number
}

/** Data of a search. */
export interface SearchResult {
  /** Sorted by path and line. */
  readonly matches: readonly SearchMatch[]
  /** More may be there: the number or the time was used up. */
  readonly truncated: boolean
}

const maxContext = 10
const maxPattern = 4096

export const search: Operation = {
  name: 'search',
  description:
    'Searches the text of files for a regular expression (Rust syntax, line by line) or, with literal, for a text. Gives path, line number and line. Leaves out binary files, what .gitignore names, and hidden files unless asked for.',
  properties: {
    pattern: {
      type: 'string',
      description: 'Regular expression, or the text itself with literal.',
    },
    dir: folderSchema,
    glob: {
      type: 'string',
      description: 'Only files whose names fit, such as "*.ts" or "src/**/*.md", relative to dir.',
    },
    literal: { type: 'boolean', description: 'Take the pattern as it is. Default: false.' },
    ignore_case: { type: 'boolean', description: 'Default: false.' },
    context: {
      type: 'integer',
      minimum: 0,
      maximum: maxContext,
      description: 'Lines to show around each. Default: 0.',
    },
    hidden: hiddenSchema(false),
    ignored: ignoredSchema,
    limit: countSchema('Most matches to show.'),
  },
  required: ['pattern'],
  effects: { readOnly: true, idempotent: true },
  paths: { dir: 'read' },
  async run(call) {
    const { args, context } = call
    const pattern = patternOf(args['pattern'])
    const plan = args['glob'] === undefined ? undefined : globPlan(args['glob'], 'glob')
    const flags = flagsOf(call, pattern, plan?.pattern)
    const found = await scan(call, plan, (each) => find(call, flags, each))
    const result = found ?? { matches: [], truncated: false }
    throwIfAborted(context.signal)
    return output(result, textFor(result))
  },
}

function patternOf(value: unknown): string {
  if (typeof value !== 'string' || value === '') {
    return refuse('type', 'pattern', '"pattern" must be a text that is not empty.')
  }
  checkPattern(value, 'pattern', maxPattern)
  return value
}

/** The engine says where something is, and nothing of its text: how long a line is does not matter to it. */
function flagsOf(
  call: OperationCall,
  pattern: string,
  glob: string | undefined,
): readonly string[] {
  const { args } = call
  return [
    '--with-filename',
    '--no-heading',
    '--line-number',
    '--byte-offset',
    '--only-matching',
    '--replace=',
    // `$` also stands before CRLF.
    '--crlf',
    // What is binary is decided by the same rule as in reading.
    '--text',
    ...(args['literal'] === true ? ['--fixed-strings'] : []),
    ...(args['ignore_case'] === true ? ['--ignore-case'] : []),
    ...(glob === undefined ? [] : [`--glob=${glob}`]),
    ...selection(call),
    '-e',
    pattern,
    '--',
    '.',
  ]
}

async function find(
  call: OperationCall,
  flags: readonly string[],
  { folder, parts, signal, isLate }: Scan,
): Promise<SearchResult> {
  const { limits } = call.shared
  const limit = Math.min(numberOf(call.args['limit']) ?? limits.matches, limits.matches)
  const open = matchFiles(call)
  const matches: SearchMatch[] = []
  try {
    for await (const record of recordsOf(ripgrep(folder, flags, signal), endOfMatch)) {
      const { path, line, offset } = read(record, parts)
      const file = await open.of(path)
      if (file === undefined || (matches.at(-1)?.path === path && matches.at(-1)?.line === line)) {
        continue
      }
      if (matches.length === limit) return { matches, truncated: true }
      const excerpt = await file.excerpt(line, offset)
      if (excerpt !== undefined) matches.push({ path, line, ...excerpt })
    }
    return { matches, truncated: isLate() }
  } finally {
    open.close()
  }
}

/** The file that matches come from at the moment: all of one file come in a row. */
function matchFiles({ root, args, context, shared }: OperationCall): {
  of(path: string): Promise<MatchFile | undefined>
  close(): void
} {
  const options = {
    lineBytes: shared.limits.lineBytes,
    contextLines: Math.min(numberOf(args['context']) ?? 0, maxContext),
    signal: context.signal,
  }
  let current: { readonly path: string; readonly file: MatchFile | undefined } | undefined
  const close = (): void => current?.file?.close()
  return {
    async of(path) {
      if (current?.path !== path) {
        close()
        current = undefined
        current = { path, file: await openMatchFile(root, path.split('/'), options) }
      }
      return current.file
    },
    close,
  }
}

/** `./PATH NUL LINE : BYTE :` */
function read(
  record: Buffer,
  parts: readonly string[],
): { readonly path: string; readonly line: number; readonly offset: number } {
  const end = record.indexOf(0)
  const names = textOfRawPath(record.subarray(0, end)).split('/')
  const [line = 0, offset = 0] = record
    .subarray(end + 1)
    .toString('latin1')
    .split(':')
    .map(Number)
  return { path: [...parts, ...names.slice(1)].join('/'), line, offset }
}

function textFor({ matches, truncated }: SearchResult): string {
  const lines = matches.flatMap(({ path, line, text, cut, before = [], after = [] }) => {
    const name = shownPath(path)
    return [
      ...before.map((each, index) => `${name}-${line - before.length + index}-${each}`),
      `${name}:${line}:${text}${cut === true ? ' [cut]' : ''}`,
      ...after.map((each, index) => `${name}-${line + 1 + index}-${each}`),
    ]
  })
  if (lines.length === 0) lines.push('[nothing found]')
  if (truncated) lines.push('[there may be more: use a narrower pattern, glob or dir]')
  return lines.join('\n')
}
