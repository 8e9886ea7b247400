// Prints what a thousand schemas hold of the heap, in bytes: as JSON, for the process that started this one.
import { createCoercer } from '@callgate/coercion'
import type { JsonSchema } from '@callgate/spec'
import { Ajv2020 } from 'ajv/dist/2020.js'

/** More would not be held at once. */
const count = 1000
const { gc } = globalThis
if (gc === undefined) throw new Error('start this with --expose-gc')

async function heapUsed(): Promise<number> {
  for (let n = 0; n < 4; n++) {
    await new Promise((resolve) => setImmediate(resolve))
    gc?.()
  }
  return process.memoryUsage().heapUsed
}

/** Tools of ten fields, each unlike the others. */
function schemaOf(n: number): JsonSchema {
  return {
    type: 'object',
    properties: {
      query: { type: 'string', description: `What to look for in part ${n}` },
      limit: { type: 'integer', minimum: 1, maximum: 1000 + n },
      page: { type: 'integer' },
      ratio: { type: 'number' },
      exact: { type: 'boolean' },
      deep: { type: 'boolean' },
      lang: { type: 'string', enum: ['en', 'de', `l${n}`] },
      tags: { type: 'array', items: { type: 'string' } },
      range: {
        type: 'object',
        properties: { from: { type: 'integer' }, to: { type: 'integer' } },
      },
      note: { type: 'string' },
    },
    required: ['query'],
  }
}

const valid = { query: 'a', limit: 7, tags: ['b'], range: { from: 1, to: 2 } }
const broken = { query: 'a', limit: '7', tags: ['b'], range: { from: '1', to: '2' } }

/** What is measured: each gives what holds the schemas. */
const holders: { readonly [name: string]: (schemas: readonly JsonSchema[]) => unknown } = {
  ajv(schemas) {
    // One compiler for all, as a program would have it.
    const ajv = new Ajv2020({ strict: false })
    return schemas.map((schema) => used(ajv.compile(schema as object)(valid), schema, ajv))
  },
  coercers: (schemas) => schemas.map((schema) => createCoercer(schema)),
  called: (schemas) => schemas.map((schema) => coercerAfter(schema, valid)),
  repaired: (schemas) => schemas.map((schema) => coercerAfter(schema, broken)),
}

function used(isValid: boolean, schema: JsonSchema, ajv: Ajv2020): unknown {
  if (!isValid) throw new Error('the arguments do not fit')
  return ajv.compile(schema as object)
}

function coercerAfter(schema: JsonSchema, args: object): unknown {
  const coercer = createCoercer(schema)
  if (!coercer.coerceText(JSON.stringify(args)).valid) throw new Error('the arguments do not fit')
  return coercer
}

const holder = holders[process.argv[2] ?? '']
if (holder === undefined) throw new Error(`one of ${Object.keys(holders).join(', ')}`)
const schemas = Array.from({ length: count }, (_, n) => schemaOf(n))
const before = await heapUsed()
const kept = holder(schemas)
const bytes = ((await heapUsed()) - before) / (count / 1000)
console.log(JSON.stringify({ bytes, kept: [kept, schemas].length }))
