import { fileURLToPath } from 'node:url'

import { readConfig } from './config.ts'
import { checkDemo, demoTurn, openDemo } from './demo.ts'
import { openPlayground, play, type Played, type Playground } from './playground.ts'
import { runRepair } from './repair/command.ts'
import { readRepairArguments, repairUsage } from './repair/usage.ts'
import { describeBackends } from './report/backends.ts'
import { errorLine, sentence, singleLine } from './report/error-line.ts'
import { writeJson } from './report/json.ts'
import { paint } from './report/layout.ts'
import { describePlayed } from './report/text.ts'
import { readTurnFile, type RecordedTurn } from './turn-file.ts'
import { readArguments, usage, type Arguments } from './usage.ts'

/** Stopped by a signal: running calls are told, everything is put away, and the exit code says so. */
const stop = new AbortController()
const stopCodes = { SIGINT: 130, SIGTERM: 143 } as const

/** Prints a message of the user's own as it is played. Gives the exit code. */
async function playOwn(playground: Playground, turn: RecordedTurn, json: boolean): Promise<number> {
  const played = await play(playground, turn, stop.signal)
  console.log(json ? writeJson(played) : describePlayed(played))
  return played.results.every(({ status }) => status === 'ok') ? 0 : 1
}

async function runOwn(file: string, { config, port, json }: Arguments): Promise<number> {
  const turn = await readTurnFile(file, stop.signal)
  const playground =
    config === undefined
      ? await openDemo(port, stop.signal)
      : await openPlayground(await readConfig(config), stop.signal)
  try {
    return await playOwn(playground, turn, json)
  } finally {
    await playground.close()
  }
}

async function runDemo({ port, json }: Arguments): Promise<number> {
  const demo = await openDemo(port, stop.signal)
  try {
    const played = await play(
      demo,
      await readTurnFile(fileURLToPath(demoTurn), stop.signal),
      stop.signal,
    )
    const faults = checkDemo(played)
    if (json) console.log(writeJson({ ...played, faults }))
    else
      console.log(
        `${describeBackends(demo)}\n${describePlayed(played, 2)}\n\n${verdict(played, faults)}`,
      )
    return faults.length === 0 ? 0 : 1
  } finally {
    await demo.close()
  }
}

function verdict({ results }: Played, faults: readonly string[]): string {
  if (faults.length > 0) {
    return [paint('red', 'Not as it should be:'), ...faults.map((fault) => `   ${fault}`)].join(
      '\n',
    )
  }
  const ok = results.filter(({ status }) => status === 'ok').length
  return paint(
    'green',
    `All as it should be: ${results.length} calls, ${ok} ok, ${results.length - ok} refused by a hook.`,
  )
}

/** What a command line asks for: a text to print, or work that gives the exit code. */
function plan(args: readonly string[]): string | (() => Promise<number>) {
  const [command, ...rest] = args
  if (command === 'repair') {
    const options = readRepairArguments(rest)
    return options === undefined ? repairUsage : () => runRepair(options, stop.signal)
  }
  if (command !== undefined && !command.startsWith('-')) {
    const meant = /[./\\]/.test(command) ? `--turn ${command}` : 'repair'
    throw new Error(`There is no command "${command}". Did you mean ${meant}?`)
  }
  const options = readArguments(args)
  const { turn, help } = options
  if (help) return usage
  return () => (turn === undefined ? runDemo(options) : runOwn(turn, options))
}

async function main(args: readonly string[]): Promise<number> {
  let work: ReturnType<typeof plan>
  try {
    work = plan(args)
  } catch (error) {
    console.error(`usage: ${sentence(singleLine((error as Error).message))} See --help.`)
    return 2
  }
  if (typeof work === 'string') {
    console.log(work)
    return 0
  }
  try {
    return await work()
  } catch (error) {
    const { line, exitCode } = errorLine(error)
    console.error(stop.signal.aborted ? 'stopped' : line)
    return exitCode
  }
}

let stopCode: number | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    stopCode ??= stopCodes[signal]
    stop.abort()
  })
}
// A package runner may leave its separator in front.
const [first, ...others] = process.argv.slice(2)
const exitCode = await main(first === '--' ? others : process.argv.slice(2))
process.exitCode = stopCode ?? exitCode
