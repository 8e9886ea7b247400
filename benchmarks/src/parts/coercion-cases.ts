import type { JsonSchema } from '@callgate/spec'
import { z } from 'zod'

/** Arguments as a model writes them, with the schemas of those who read them. */
export interface CoercionCase {
  readonly name: string
  readonly schema: JsonSchema
  readonly zod: z.ZodType
  readonly text: string
}

const fromText = (read: (text: string) => unknown) => (value: unknown) =>
  typeof value === 'string' ? read(value) : value
const number = z.preprocess(fromText(Number), z.number())
const integer = z.preprocess(fromText(Number), z.int())
const boolean = z.preprocess(
  fromText((text) => (text === 'true' ? true : text === 'false' ? false : text)),
  z.boolean(),
)
const json = <T extends z.ZodType>(schema: T): z.ZodPreprocess<T> =>
  z.preprocess(
    fromText((text) => JSON.parse(text) as unknown),
    schema,
  )

const flat = {
  schema: {
    type: 'object',
    properties: {
      path: { type: 'string' },
      limit: { type: 'integer' },
      ratio: { type: 'number' },
    },
    required: ['path'],
  },
  zod: z.object({ path: z.string(), limit: integer.optional(), ratio: number.optional() }),
}

const mixed = {
  schema: {
    type: 'object',
    properties: {
      query: { type: 'string' },
      limit: { type: 'integer', minimum: 1 },
      page: { type: 'integer' },
      ratio: { type: 'number' },
      exact: { type: 'boolean' },
      deep: { type: 'boolean' },
      lang: { type: 'string', enum: ['en', 'de', 'zh'] },
      tags: { type: 'array', items: { type: 'string' } },
      range: {
        type: 'object',
        properties: { from: { type: 'integer' }, to: { type: 'integer' } },
      },
      note: { type: 'string' },
    },
    required: ['query', 'limit'],
  },
  zod: z.object({
    query: z.string(),
    limit: z.preprocess(fromText(Number), z.int().min(1)),
    page: integer.optional(),
    ratio: number.optional(),
    exact: boolean.optional(),
    deep: boolean.optional(),
    lang: z.enum(['en', 'de', 'zh']).optional(),
    tags: json(z.array(z.string())).optional(),
    range: json(z.object({ from: integer.optional(), to: integer.optional() })).optional(),
    note: z.string().optional(),
  }),
}

const item = {
  type: 'object',
  properties: {
    sku: { type: 'string' },
    count: { type: 'integer' },
    price: { type: 'number' },
    gift: { type: 'boolean' },
  },
  required: ['sku', 'count'],
}
const zodItem = z.object({
  sku: z.string(),
  count: integer,
  price: number.optional(),
  gift: boolean.optional(),
})

const nested = {
  schema: {
    type: 'object',
    properties: {
      order: {
        type: 'object',
        properties: {
          number: { type: 'integer' },
          customer: { type: 'string' },
          items: { type: 'array', items: item },
        },
        required: ['items'],
      },
      express: { type: 'boolean' },
    },
    required: ['order'],
  },
  zod: z.object({
    order: z.object({
      number: integer.optional(),
      customer: z.string().optional(),
      items: z.array(zodItem),
    }),
    express: boolean.optional(),
  }),
}

const row = {
  type: 'object',
  properties: { id: { type: 'integer' }, title: { type: 'string' }, done: { type: 'boolean' } },
  required: ['id', 'title'],
}
const zodRow = z.object({ id: integer, title: z.string(), done: boolean.optional() })

const list = {
  schema: {
    type: 'object',
    properties: { rows: { type: 'array', items: row } },
    required: ['rows'],
  },
  zod: z.object({ rows: json(z.array(zodRow)) }),
}

const rows = Array.from({ length: 200 }, (_, n) => ({
  id: n,
  title: `Task ${n} of the release list`,
  done: n % 2 === 0,
}))

/** Short and long, flat and nested, with numbers, booleans and lists as text, and one with nothing to repair. */
export const cases: readonly CoercionCase[] = [
  {
    ...flat,
    name: 'flat3: three fields, two numbers as text',
    text: '{"path":"src/index.ts","limit":"20","ratio":"0.75"}',
  },
  {
    ...mixed,
    name: 'mixed10: ten fields, six of them as text',
    text: '{"query":"open issues","limit":"20","page":"3","ratio":"0.75","exact":"true","deep":"false","lang":"en","tags":["bug","core","ui"],"range":{"from":"1","to":"250"},"note":"sorted by the date of change"}',
  },
  {
    ...nested,
    name: 'nested3: three levels with a list of objects',
    text: '{"order":{"number":"48213","customer":"Jo Bloggs, 12 High Street","items":[{"sku":"AB-1001","count":"2","price":"19.99","gift":false},{"sku":"AB-1002","count":1,"price":5.5,"gift":"true"},{"sku":"AB-1003","count":"12","price":0.75,"gift":false}]},"express":true}',
  },
  {
    ...list,
    name: 'list200: two hundred objects as one text',
    text: JSON.stringify({ rows: JSON.stringify(rows) }),
  },
  {
    ...mixed,
    name: 'valid: mixed10 with nothing to repair',
    text: '{"query":"open issues","limit":20,"page":3,"ratio":0.75,"exact":true,"deep":false,"lang":"en","tags":["bug","core"],"range":{"from":1,"to":250},"note":"sorted by date"}',
  },
]
