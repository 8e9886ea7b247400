// Runs the benchmarks: `run bench [NAME …]`. Every figure is a ratio to a floor or a peer of the same run.
import { readdir } from 'node:fs/promises'

const helpers = new Set(['main', 'measure'])
const files = await readdir(new URL('.', import.meta.url))
const names = files
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.replace(/\.ts$/, ''))
  .filter((name) => !helpers.has(name))
const asked = process.argv.slice(2).filter((argument) => argument !== '--')
const unknown = asked.find((name) => !names.includes(name))
if (asked.some((argument) => argument === '--help' || argument === '-h')) {
  console.log(
    `Usage: run bench [NAME ...]\n\nRuns all benchmarks, or those that are named, of ${names.join(', ')}.`,
  )
} else if (unknown === undefined) {
  for (const name of asked.length > 0 ? asked : names.toSorted()) {
    const { run } = (await import(`./${name}.ts`)) as { run?: () => Promise<void> }
    await run?.()
  }
} else {
  console.error(`bench: there is no benchmark "${unknown}"; there are ${names.join(', ')}`)
  process.exitCode = 2
}
