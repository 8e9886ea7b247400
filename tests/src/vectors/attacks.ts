import { runCliAttack, type CliAttackTool } from './attacks-cli.ts'
import { runFileAttack, type FileAttackTool } from './attacks-file.ts'
import { runHttpAttack, type HttpAttackTool } from './attacks-http.ts'
import { judge, type Verdict } from './verdict.ts'

/** An attack, or an ordinary call that looks like one; the words are explained in the `meta` of the file. */
export interface AttackVector {
  readonly id: string
  readonly adapter: string
  readonly tool: object
  readonly input: unknown
  /** Takes the place of `input` as the text of the arguments. */
  readonly raw_json?: string
  readonly must: 'refuse' | 'allow' | 'allow-as-literal'
  readonly also_ok?: string
  readonly rule: string
  /** Refused when the declaration is read; else at the call. */
  readonly stage?: 'load'
  readonly outcome?: string
  readonly expect_argv?: readonly string[]
  readonly expect_path?: string
  readonly expect_query?: string
  readonly expect_body?: string
}

/** Runs the attacks one after another, each through a gateway of its own. */
export async function runAttackVectors(
  vectors: readonly AttackVector[],
): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = []
  // oxlint-disable-next-line no-await-in-loop -- each has the network to itself
  for (const vector of vectors) verdicts.push(await runAttack(vector))
  return verdicts
}

async function runAttack(vector: AttackVector): Promise<Verdict> {
  if (vector.adapter === 'http') {
    return judge(vector.id, () => runHttpAttack({ ...vector, tool: vector.tool as HttpAttackTool }))
  }
  if (vector.adapter === 'cli') {
    return judge(vector.id, () => runCliAttack({ ...vector, tool: vector.tool as CliAttackTool }))
  }
  if (vector.adapter === 'file') {
    return judge(vector.id, () => runFileAttack({ ...vector, tool: vector.tool as FileAttackTool }))
  }
  return { id: vector.id, ok: 'waiting', detail: `nothing runs attacks on ${vector.adapter} yet` }
}
