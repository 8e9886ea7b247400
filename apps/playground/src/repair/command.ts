import { writeJson } from '../report/json.ts'
import { readSchema, readSent } from './inputs.ts'
import { repair } from './repair.ts'
import { describeRepaired } from './report.ts'
import type { RepairArguments } from './usage.ts'

/** Prints what becomes of arguments. Gives the exit code. */
export async function runRepair(
  { schema, args, provider, json }: RepairArguments,
  signal: AbortSignal,
): Promise<number> {
  const checked = await readSchema(schema, signal)
  const repaired = repair(checked, await readSent(args, signal), provider)
  console.log(json ? writeJson(repaired) : describeRepaired(repaired))
  if (!repaired.text.read) return 4
  return repaired.valid ? 0 : 1
}
