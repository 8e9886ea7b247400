// Runs vector files: `run vectors [FOLDER] [--only NAME]`. Default: the copies kept in the project.
import { parseArgs } from 'node:util'

import { runVectorFolder, type FileVerdict } from './vector-files.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' } },
})
const folder = positionals[0] ?? new URL('../vectors', import.meta.url).pathname

function report({ file, verdicts }: FileVerdict): void {
  for (const { id, ok, detail } of verdicts)
    if (ok === false) console.log(`FAILED ${file} ${id}: ${detail}`)
  const waiting = verdicts.filter(({ ok }) => ok === 'waiting')
  if (waiting.length > 0) console.log(`waiting ${file}: ${waiting.map(({ id }) => id).join(' ')}`)
  const count = (ok: boolean): number => verdicts.filter((verdict) => verdict.ok === ok).length
  console.log(`${file}: ${count(true)} passed, ${count(false)} failed, ${waiting.length} waiting`)
}

try {
  const files = await runVectorFolder(folder, values.only)
  if (files.length === 0)
    throw new Error(`there is no vector file ${values.only ?? ''} in ${folder}`)
  for (const file of files) report(file)
  const all = files.flatMap(({ verdicts }) => verdicts)
  const failed = all.filter(({ ok }) => ok === false).length
  console.log(`${all.filter(({ ok }) => ok === true).length} passed, ${failed} failed`)
  process.exitCode = failed > 0 ? 1 : 0
} catch (error) {
  console.error(`vectors: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 2
}
