// Runs the official conformance suite against the adapter, one scenario after the other, and prints a line for each
// set; `pnpm run conformance [NAME]` picks scenarios by name.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { type ScenarioSet, sets } from './sets.ts'

const suites = {
  'conformance-0.1': fileURLToPath(import.meta.resolve('conformance-0.1/dist/index.js')),
  'conformance-0.2': fileURLToPath(import.meta.resolve('conformance-0.2/dist/index.js')),
}
const client = fileURLToPath(new URL('client.ts', import.meta.url))
const only = process.argv[2]
const folder = mkdtempSync(path.join(tmpdir(), 'callgate-conformance-'))

/** What a failed scenario printed, or nothing. */
function fault(set: ScenarioSet, scenario: string): string | undefined {
  const version = set.specVersion === undefined ? [] : ['--spec-version', set.specVersion]
  const command = `${process.execPath} --conditions=@callgate/source ${client}`
  const run = spawnSync(
    process.execPath,
    [suites[set.suite], 'client', '--command', command, '--scenario', scenario]
      .concat(['--timeout', '30000', '-o', folder])
      .concat(version),
    { encoding: 'utf8', timeout: 60_000 },
  )
  const text = `${run.stdout}${run.stderr}`
  // The suite also ends well when it skips a scenario.
  return run.status === 0 && /OVERALL: PASSED/.test(text) ? undefined : text
}

let failed = 0
for (const set of sets) {
  const scenarios = set.scenarios.filter((name) => only === undefined || name.includes(only))
  const faults = scenarios.flatMap((name) => {
    const text = fault(set, name)
    return text === undefined ? [] : [{ name, text }]
  })
  for (const { name, text } of faults) console.log(`FAILED ${name}\n${text}`)
  const passed = scenarios.length - faults.length
  const revision = set.specVersion ?? 'as each scenario has it'
  console.log(`${set.suite}, ${revision}: ${String(passed)} of ${String(scenarios.length)}`)
  failed += faults.length
}
rmSync(folder, { recursive: true, force: true })
process.exitCode = failed === 0 ? 0 : 1
