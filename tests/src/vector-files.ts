import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { runExpansionVectors } from './vectors/expansion.ts'
import { runHookVectors } from './vectors/hook.ts'
import { runPipelineVectors } from './vectors/pipeline.ts'
import type { Verdict } from './vectors/verdict.ts'

export interface FileVerdict {
  readonly file: string
  readonly verdicts: readonly Verdict[]
}

type Runner = (vectors: never) => Promise<readonly Verdict[]> | readonly Verdict[]

/** Which file is run by what, by its name without `.json`. */
const runners: { readonly [name: string]: Runner } = {
  expansion: runExpansionVectors,
  hook: runHookVectors,
  pipeline: runPipelineVectors,
}

/** Runs the vector files of a folder; a file that nothing runs yet has all its vectors waiting. */
export async function runVectorFolder(
  folder: string,
  only?: string,
): Promise<readonly FileVerdict[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).toSorted()
  const chosen = files.filter((file) => only === undefined || file === `${only}.json`)
  const verdicts: FileVerdict[] = []
  for (const file of chosen)
    verdicts.push({ file, verdicts: await runVectorFile(join(folder, file), file) })
  return verdicts
}

async function runVectorFile(path: string, file: string): Promise<readonly Verdict[]> {
  const vectors = vectorsOf(JSON.parse(await readFile(path, 'utf8')))
  const runner = runners[file.replace(/\.json$/, '')]
  if (runner !== undefined) return runner(vectors as never)
  return vectors.map((vector) => ({
    id: String((vector as { id?: unknown }).id),
    ok: 'waiting',
    detail: `nothing runs ${file} yet`,
  }))
}

function vectorsOf(content: unknown): readonly unknown[] {
  const vectors = Array.isArray(content) ? content : (content as { vectors?: unknown }).vectors
  if (!Array.isArray(vectors))
    throw new TypeError('a vector file is a list, or an object with a list `vectors`')
  return vectors as readonly unknown[]
}
