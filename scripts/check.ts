// The whole check, one command: what `test` of the README runs. Every step runs, so that one run shows all that is wrong.
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'

const report = 'coverage/tests.json'

interface Step {
  readonly name: string
  readonly run: readonly string[]
  /** Why it only runs where CI is set, or where it is asked for by name. */
  readonly onlyInCi?: string
}

const steps: readonly Step[] = [
  { name: 'format', run: ['oxfmt', '--check'] },
  { name: 'lint', run: ['oxlint', '--quiet'] },
  { name: 'arrows', run: ['turbo', 'boundaries'] },
  { name: 'types', run: ['tsc'] },
  { name: 'types of the runtime-neutral packages', run: ['tsc', '-p', 'tsconfig.neutral.json'] },
  { name: 'unused', run: ['knip'] },
  {
    name: 'tests',
    run: ['vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
  },
  {
    name: 'conformance',
    run: ['node', '--conditions=@callgate/source', 'packages/adapter-mcp/test/conformance/run.ts'],
    onlyInCi: 'the official suite of MCP takes minutes; `pnpm test conformance` runs it anywhere',
  },
  { name: 'packages', run: ['turbo', 'run', 'check:package'] },
  { name: 'sizes', run: ['node', 'scripts/size.ts'] },
  { name: 'tarballs', run: ['node', 'scripts/tarballs.ts'] },
  { name: 'snippets', run: ['node', 'scripts/snippets.ts'] },
]

function runStep([command, ...args]: readonly string[]): boolean {
  const { status, error } = spawnSync(command!, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' },
  })
  if (error !== undefined) console.error(error.message)
  return status === 0
}

interface TestReport {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
}

function readReport(): TestReport {
  try {
    return JSON.parse(readFileSync(report, 'utf8')) as TestReport
  } catch {
    return { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0 }
  }
}

const only = process.argv.slice(2)
rmSync(report, { force: true })
const failed: string[] = []
for (const { name, run, onlyInCi } of steps) {
  if (only.length > 0 && !only.includes(name)) continue
  if (only.length === 0 && onlyInCi !== undefined && !process.env['CI']) {
    console.log(`\n> ${name}: skipped, ${onlyInCi}`)
    continue
  }
  const startedAt = Date.now()
  console.log(`\n> ${name}`)
  if (!runStep(run)) failed.push(name)
  console.log(
    `< ${name}: ${failed.includes(name) ? 'FAILED' : 'ok'}, ${((Date.now() - startedAt) / 1000).toFixed(1)} s`,
  )
}
if (failed.length > 0) console.log(`\nFailed: ${failed.join(', ')}`)
// Without the step of the tests there is nothing to count.
if (only.length === 0 || only.includes('tests')) {
  const { numPassedTests, numFailedTests, numPendingTests } = readReport()
  console.log(`\n${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`)
}
process.exitCode = failed.length > 0 ? 1 : 0
