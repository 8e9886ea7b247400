import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { cases } from './parts/coercion-cases.ts'

/** What the engine makes of the same code differs from one process to the next. */
const PROCESSES = 5

const speed = new URL('./parts/coercion-speed.ts', import.meta.url)
const held = new URL('./parts/coercion-heap.ts', import.meta.url)

/**
 * Measures parse, restore, coerce and validate together as a ratio to JSON.parse of the same text, beside others that
 * do a part of it, and the memory of a thousand schemas. Each in a process of its own, since what the engine learns of
 * one case slows another.
 */
export async function run(): Promise<void> {
  for (const { name, text } of cases) {
    const runs = Array.from({ length: PROCESSES }, () => measured<readonly Row[]>(speed, name))
    console.log(`\narguments of ${text.length} bytes, ${name}`)
    for (const [index, row] of runs[0]!.entries()) {
      const us = middle(runs.map((rows) => rows[index]!.us))
      const ratio = middle(runs.map((rows) => rows[index]!.us / rows[0]!.us))
      console.log(
        `  ${row.name.padEnd(34)} ${us.toFixed(3).padStart(8)} µs ${ratio.toFixed(2).padStart(6)} ×`,
      )
    }
  }
  heap()
}

/** What a subject takes. */
interface Row {
  readonly name: string
  readonly us: number
}

function middle(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[figures.length >> 1]!
}

/** What a thousand schemas of ten fields cost beside the schemas themselves. */
function heap(): void {
  const bytesOf = (what: string): number => measured<{ bytes: number }>(held, what).bytes
  const ajv = bytesOf('ajv')
  const row = (name: string, bytes: number): string =>
    `  ${name.padEnd(42)} ${(bytes / 1e6).toFixed(2).padStart(6)} MB ${(bytes / ajv).toFixed(2).padStart(6)} ×`
  console.log(`\nheap of 1,000 schemas of ten fields, beside the schemas
${row('floor: a compiled ajv validator each', ajv)}
${row('Callgate: a coercer each, not yet called', bytesOf('coercers'))}
${row('Callgate, after a valid call each', bytesOf('called'))}
${row('Callgate, after a call with a repair each', bytesOf('repaired'))}`)
}

/** What a program prints when it is run with one argument. */
function measured<Result>(program: URL, argument: string): Result {
  const flags = ['--expose-gc', '--conditions=@callgate/source']
  return JSON.parse(
    execFileSync(process.execPath, [...flags, fileURLToPath(program), argument], {
      encoding: 'utf8',
    }),
  ) as Result
}
