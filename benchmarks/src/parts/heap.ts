// Prints what a thousand tools hold of the heap, in bytes: as JSON, for the process that started this one.
import { createGateway } from '@callgate/core'
import { Ajv2020 } from 'ajv/dist/2020.js'

import { manyTools, wireNameOf } from './many-tools.ts'

const count = 5000
const { gc } = globalThis
if (gc === undefined) throw new Error('start this with --expose-gc')

async function heapUsed(): Promise<number> {
  for (let n = 0; n < 4; n++) {
    await new Promise((resolve) => setImmediate(resolve))
    gc?.()
  }
  return process.memoryUsage().heapUsed
}

type Keep = Promise<readonly unknown[]>

/** What is measured: each gives what holds the tools. */
const holders: { readonly [name: string]: () => Keep } = {
  plain: async () => [new Map(manyTools(count).map((tool, n) => [wireNameOf(n), tool]))],
  ajv: async () => compiled(() => {}),
  ajvCalled: async () =>
    compiled((validate) => {
      if (!validate({ path: '/a', limit: 7 })) throw new Error('invalid')
    }),
  registered: async () => [createGateway({ tools: manyTools(count) })],
  called: () => called('{"path":"/a","limit":7}'),
  repaired: () => called('{"path":"/a","limit":"7"}'),
}

function compiled(use: (validate: (value: unknown) => boolean) => void): readonly unknown[] {
  // One compiler for all, as a program would have it.
  const ajv = new Ajv2020({ strict: false })
  const kept = manyTools(count).map((tool, n): [string, object] => {
    const validate = ajv.compile(tool.parameters as object)
    use(validate)
    return [wireNameOf(n), { ...tool, validate }]
  })
  return [new Map(kept)]
}

async function called(text: string): Keep {
  const gateway = createGateway({ tools: manyTools(count) })
  for (let n = 0; n < count; n++) {
    const call = { id: `c${n}`, name: wireNameOf(n), arguments: text }
    const result = await gateway.dispatch(call, { sessionId: 's' })
    if (result.data !== n) throw new Error(result.error?.message)
  }
  return [gateway]
}

const holder = holders[process.argv[2] ?? '']
if (holder === undefined) throw new Error(`one of ${Object.keys(holders).join(', ')}`)
const before = await heapUsed()
const kept = await holder()
const bytes = ((await heapUsed()) - before) / (count / 1000)
console.log(JSON.stringify({ bytes, kept: kept.length }))
