import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { runAttackVectors, type AttackVector } from './vectors/attacks.ts'
import { runCoercionVectors, type CoercionVector } from './vectors/coercion.ts'
import { runExpansionVectors, type ExpansionVector } from './vectors/expansion.ts'
import { runHookVectors, type HookVector } from './vectors/hook.ts'
import { runMcpEverything, type EverythingFile } from './vectors/mcp-everything.ts'
import { runPipelineVectors, type PipelineVector } from './vectors/pipeline.ts'
import type { Verdict } from './vectors/verdict.ts'

export interface FileVerdict {
  readonly file: string
  readonly verdicts: readonly Verdict[]
}

type Verdicts = Promise<readonly Verdict[]> | readonly Verdict[]

/** Which file is run by what, by its name without `.json`. */
const runners: { readonly [name: string]: (content: unknown) => Verdicts } = {
  attacks: (content) => runAttackVectors(listOf<AttackVector>(content)),
  coercion: (content) => runCoercionVectors(listOf<CoercionVector>(content)),
  'coercion-bugs': (content) => runCoercionVectors(listOf<CoercionVector>(content)),
  expansion: (content) => runExpansionVectors(listOf<ExpansionVector>(content)),
  hook: (content) => runHookVectors(listOf<HookVector>(content)),
  pipeline: (content) => runPipelineVectors(listOf<PipelineVector>(content)),
  'mcp-everything': (content) => runMcpEverything(content as EverythingFile),
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
  try {
    const content = JSON.parse(await readFile(path, 'utf8')) as unknown
    const name = file.replace(/\.json$/, '')
    return Object.hasOwn(runners, name) ? await runners[name]!(content) : waiting(content, file)
  } catch (error) {
    return [
      { id: '(file)', ok: false, detail: error instanceof Error ? error.message : String(error) },
    ]
  }
}

/** Prose (adapter-bugs, dispatch-bugs, mcp-bugs) has a test for each entry instead; other files wait for their feature. */
function waiting(content: unknown, file: string): readonly Verdict[] {
  return listOf<{ readonly id?: unknown }>(content).map(({ id }) => ({
    id: String(id),
    ok: 'waiting',
    detail: `nothing runs ${file}`,
  }))
}

/** The vectors of a file: the file itself is a list, or it has one. */
function listOf<V>(content: unknown): readonly V[] {
  const { vectors, cases } = content as { readonly vectors?: unknown; readonly cases?: unknown }
  const list = [content, vectors, cases].find((part) => Array.isArray(part))
  if (list === undefined)
    throw new TypeError('a vector file is a list, or an object with a list `vectors` or `cases`')
  return list as readonly V[]
}
