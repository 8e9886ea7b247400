import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { createCoercer, parseArguments } from '@callgate/coercion'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { jsonrepair } from 'jsonrepair'

import type { Subject } from './measure.ts'
import { aiSdkReader } from './parts/ai-sdk.ts'
import { cases, type CoercionCase } from './parts/coercion-cases.ts'
import { measureWindows } from './parts/windows.ts'

/**
 * Measures parse, restore, coerce and validate together as a ratio to JSON.parse of the same text, beside others that
 * do a part of it, and the memory of a thousand schemas.
 */
export async function run(): Promise<void> {
  for (const one of cases) {
    const rows = await subjects(one)
    const times = await measureWindows(rows)
    console.log(`\narguments of ${one.text.length} bytes, ${one.name}`)
    for (const [index, us] of times.entries()) {
      const ratio = (us / times[0]!).toFixed(2).padStart(6)
      console.log(`  ${rows[index]!.name.padEnd(34)} ${us.toFixed(3).padStart(8)} µs ${ratio} ×`)
    }
  }
  heap()
}

async function subjects({ schema, zod, text }: CoercionCase): Promise<readonly Subject[]> {
  const { coerce } = createCoercer(schema)
  const check = new Ajv2020({ strict: false }).compile(schema as object)
  const convert = new Ajv2020({ strict: false, coerceTypes: 'array' }).compile(schema as object)
  const { rows } = JSON.parse(text) as { readonly rows?: unknown }
  const inside =
    typeof rows === 'string'
      ? [subject('JSON.parse, and of the text inside', () => [JSON.parse(text), JSON.parse(rows)])]
      : []
  const readAs = await aiSdkReader(zod)
  const aiSdk: readonly Subject[] = readAs
    ? [
        {
          name: 'AI SDK, zod with preprocess',
          async run(count) {
            for (let n = 0; n < count; n++) last = await readAs(text)
          },
        },
      ]
    : []
  return [
    subject('floor: JSON.parse', () => JSON.parse(text)),
    ...inside,
    subject('JSON.parse, ajv check', () => check(JSON.parse(text))),
    subject('Callgate: parseArguments, coerce', () => {
      const parsed = parseArguments(text)
      return parsed.ok && coerce(parsed.value).value
    }),
    subject('JSON.parse, ajv with coerceTypes', () => convert(JSON.parse(text))),
    subject('JSON.parse, zod with preprocess', () => zod.safeParse(JSON.parse(text))),
    ...aiSdk,
    subject('jsonrepair, no parse', () => jsonrepair(text)),
  ]
}

/** What a thousand schemas of ten fields cost beside the schemas themselves. */
function heap(): void {
  const bytesOf = (what: string): number => {
    const path = fileURLToPath(new URL('./parts/coercion-heap.ts', import.meta.url))
    const flags = ['--expose-gc', '--conditions=@callgate/source']
    const printed = execFileSync(process.execPath, [...flags, path, what], { encoding: 'utf8' })
    return (JSON.parse(printed) as { bytes: number }).bytes
  }
  const ajv = bytesOf('ajv')
  const row = (name: string, bytes: number): string =>
    `  ${name.padEnd(42)} ${(bytes / 1e6).toFixed(2).padStart(6)} MB ${(bytes / ajv).toFixed(2).padStart(6)} ×`
  console.log(`\nheap of 1,000 schemas of ten fields, beside the schemas
${row('floor: a compiled ajv validator each', ajv)}
${row('Callgate: a coercer each, not yet called', bytesOf('coercers'))}
${row('Callgate, after a valid call each', bytesOf('called'))}
${row('Callgate, after a call with a repair each', bytesOf('repaired'))}`)
}

let last: unknown

function subject(name: string, work: () => unknown): Subject {
  return {
    name,
    run(count) {
      for (let n = 0; n < count; n++) last = work()
      if (last === undefined) throw new Error(`${name} gave nothing`)
    },
  }
}
