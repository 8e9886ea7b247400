// The whole check, one command: what `test` of the README runs. Every step runs, so that one run shows all that is wrong.
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { parseArgs } from 'node:util'

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
    onlyInCi:
      'the official suite of MCP takes minutes; `npx -y pnpm@12 test conformance` runs it anywhere',
  },
  { name: 'packages', run: ['turbo', 'run', 'check:package'] },
  { name: 'sizes', run: ['node', 'scripts/size.ts'] },
  { name: 'tarballs', run: ['node', 'scripts/tarballs.ts'] },
  { name: 'snippets', run: ['node', 'scripts/snippets.ts'] },
]

const usage = `Usage: test [STEP ...]

Runs the whole check, or the steps that are named (put a name of several words in quotes):
${steps.map(({ name }) => `  ${name}`).join('\n')}

Exit codes: 0 all is well, 1 a step failed, 2 usage.`

/** The steps that are asked for; none is all of them. Undefined where help is asked for. */
function readArguments(): readonly string[] | undefined {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
  })
  if (values.help === true) return undefined
  const unknown = positionals.find((asked) => steps.every(({ name }) => name !== asked))
  if (unknown !== undefined) throw new Error(`There is no step "${unknown}".`)
  return positionals
}

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

function runTimed({ name, run }: Step): boolean {
  const startedAt = Date.now()
  console.log(`\n> ${name}`)
  const isGood = runStep(run)
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1)
  console.log(`< ${name}: ${isGood ? 'ok' : 'FAILED'}, ${seconds} s`)
  return isGood
}

/** The steps to run; of those that are left out, although nobody named any, it says why. */
function chosen(only: readonly string[]): readonly Step[] {
  if (only.length > 0) return steps.filter(({ name }) => only.includes(name))
  return steps.filter(({ name, onlyInCi }) => {
    if (onlyInCi === undefined || process.env['CI']) return true
    console.log(`\n> ${name}: skipped, ${onlyInCi}`)
    return false
  })
}

/** Gives the exit code. */
function check(only: readonly string[]): number {
  rmSync(report, { force: true })
  const failed = chosen(only).filter((step) => !runTimed(step))
  if (failed.length > 0) console.log(`\nFailed: ${failed.map(({ name }) => name).join(', ')}`)
  // Without the step of the tests there is nothing to count.
  if (only.length === 0 || only.includes('tests')) {
    const { numPassedTests, numFailedTests, numPendingTests } = readReport()
    console.log(`\n${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`)
  }
  return failed.length > 0 ? 1 : 0
}

try {
  const only = readArguments()
  if (only === undefined) console.log(usage)
  else process.exitCode = check(only)
} catch (error) {
  console.error(`test: ${(error as Error).message}\n\n${usage}`)
  process.exitCode = 2
}
