// Prints what one case takes, in microseconds, by subject: as JSON, for the process that started this one.
import { createCoercer, parseArguments } from '@callgate/coercion'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { jsonrepair } from 'jsonrepair'

import type { Subject } from '../measure.ts'
import { aiSdkReader } from './ai-sdk.ts'
import { cases, type CoercionCase } from './coercion-cases.ts'
import { measureWindows } from './windows.ts'

async function subjects({ schema, zod, text }: CoercionCase): Promise<readonly Subject[]> {
  const { coerce, coerceText } = createCoercer(schema)
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
    subject('Callgate: coerceText', () => coerceText(text).value),
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

const asked = cases.find(({ name }) => name === process.argv[2])
if (asked === undefined) throw new Error('the name of a case')
const rows = await subjects(asked)
const times = await measureWindows(rows)
console.log(JSON.stringify(rows.map(({ name }, index) => ({ name, us: times[index] }))))
