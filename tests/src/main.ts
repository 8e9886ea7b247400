// Runs vector files: `run vectors [FOLDER] [--only NAME]`. Default: the copies kept in the project.
import { stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { runVectorFolder, type FileVerdict } from './vector-files.ts'

const usage = `Usage: run vectors [FOLDER] [--only NAME]

Runs the vector files of a folder; default: the copies kept in the project.

  --only NAME   runs NAME.json alone

Exit codes: 0 none failed, 1 some failed, 2 usage.`

const meaningOfWaiting =
  'waiting: nothing runs these entries; they are prose that named tests cover, or wait for a feature'

interface Arguments {
  readonly folder: string
  readonly only: string | undefined
}

/** Undefined where help is asked for. Throws an error with one line that says what does not fit. */
function readArguments(): Arguments | undefined {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { only: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help === true) return undefined
  if (positionals.length > 1)
    throw new Error(`there is more than one folder: ${positionals.join(' ')}`)
  const folder = positionals[0] ?? fileURLToPath(new URL('../vectors', import.meta.url))
  return { folder, only: values.only }
}

function report({ file, verdicts }: FileVerdict): void {
  for (const { id, ok, detail } of verdicts)
    if (ok === false) console.log(`FAILED ${file} ${id}: ${detail}`)
  const waiting = verdicts.filter(({ ok }) => ok === 'waiting')
  if (waiting.length > 0) console.log(`waiting ${file}: ${waiting.map(({ id }) => id).join(' ')}`)
  const count = (ok: boolean): number => verdicts.filter((verdict) => verdict.ok === ok).length
  console.log(`${file}: ${count(true)} passed, ${count(false)} failed, ${waiting.length} waiting`)
}

/** Gives the exit code. */
async function run({ folder, only }: Arguments): Promise<number> {
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isFolder) throw new Error(`there is no folder ${folder}`)
  const files = await runVectorFolder(folder, only)
  if (files.length === 0) {
    throw new Error(
      `there is no vector file ${only === undefined ? '' : `${only}.json `}in ${folder}`,
    )
  }
  for (const file of files) report(file)
  const all = files.flatMap(({ verdicts }) => verdicts)
  const count = (ok: boolean): number => all.filter((verdict) => verdict.ok === ok).length
  if (all.some(({ ok }) => ok === 'waiting')) console.log(meaningOfWaiting)
  console.log(`${count(true)} passed, ${count(false)} failed`)
  return count(false) > 0 ? 1 : 0
}

try {
  const chosen = readArguments()
  if (chosen === undefined) console.log(usage)
  else process.exitCode = await run(chosen)
} catch (error) {
  const message = error instanceof Error ? error.message : String(error)
  console.error(`vectors: ${message.replaceAll(/\s*\n\s*/g, ' ')}`)
  process.exitCode = 2
}
