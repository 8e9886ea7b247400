import { hash } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { fileAdapter } from '@callgate/adapter-file'
import { createGateway } from '@callgate/core'
import type { AdapterHost, AdapterInstance, InvokeContext, ToolDefinition } from '@callgate/spec'

import { measure, printTable, type Subject } from './measure.ts'

const nothing = (): void => undefined

const host: AdapterHost = {
  log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  validator: () => () => [],
  secret: (name) => name,
  toolsChanged: nothing,
}

const context: InvokeContext = {
  signal: new AbortController().signal,
  log: host.log,
  progress: nothing,
  blob: () => {
    throw new Error('files need no blob')
  },
}

/**
 * Measures files through the adapter against the file system alone, in the same run and in turns: reading a small file
 * two folders deep, a page in the middle of a large one, writing, and what the guard of paths costs.
 */
export async function run(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'callgate-bench-'))
  mkdirSync(join(root, 'src/deep'), { recursive: true })
  writeFileSync(join(root, 'src/deep/small.ts'), 'const a = 1 // a line of text\n'.repeat(136))
  writeFileSync(
    join(root, 'large.log'),
    'a line of a large file, 40 bytes long...\n'.repeat(1_000_000),
  )
  try {
    await measureAll(root)
  } finally {
    rmSync(root, { recursive: true })
  }
}

async function measureAll(root: string): Promise<void> {
  const adapter = fileAdapter({ roots: { workspace: { path: root, write: true } } })
  const gateway = createGateway({ adapters: [adapter] })
  await gateway.start()
  const instance = adapter.create(host)
  const tools = await instance.discover?.(context.signal)
  const call = (name: string, args: object): (() => Promise<unknown>) => {
    const tool = tools?.find((each) => each.name === name)
    if (tool === undefined) throw new Error(`there is no tool ${name}`)
    return caller(instance, { namespace: 'file', ...tool }, { ...args })
  }
  const path = 'src/deep/small.ts'
  const small = join(root, path)
  printTable(
    'a file of 4 KB, two folders deep (the adapter also decodes and hashes it)',
    await measure([
      { name: 'readFileSync', run: repeated(() => readFileSync(small)) },
      { name: 'readFile of node:fs/promises', run: awaited(() => readFile(small)) },
      { name: 'the same work without a guard', run: repeated(() => unguarded(small)) },
      { name: 'adapter.invoke read', run: awaited(call('read', { path })) },
      {
        name: 'gateway.dispatch read',
        run: awaited(() => gateway.dispatch({ name: 'file::read', arguments: { path } })),
      },
    ]),
  )
  printTable(
    'asking about a folder, two deep: the guard of paths and little else',
    await measure([
      { name: 'statSync', run: repeated(() => statSync(join(root, 'src/deep'))) },
      { name: 'adapter.invoke stat', run: awaited(call('stat', { path: 'src/deep' })) },
    ]),
  )
  const large = join(root, 'large.log')
  printTable(
    'a page of 1,000 lines in the middle of 1,000,000',
    await measure(
      [
        { name: 'read of its bytes', run: repeated(() => readBytes(large, 20_500_000, 41_000)) },
        {
          name: 'adapter.invoke read',
          run: awaited(call('read', { path: 'large.log', line: 500_000, lines: 1000 })),
        },
      ],
      { chunk: 50 },
    ),
  )
  printTable(
    'writing 4 KB (the adapter: new file, two fsync, rename)',
    await measure(
      [
        { name: 'writeFile', run: awaited(() => writeFile(join(root, 'a'), 'x'.repeat(4096))) },
        {
          name: 'adapter.invoke write',
          run: awaited(call('write', { path: 'b', content: 'x'.repeat(4096) })),
        },
      ],
      { rounds: 10, chunk: 20 },
    ),
  )
  await instance.stop?.({ graceMs: 0 })
  await gateway.close()
}

function caller(
  instance: AdapterInstance,
  tool: ToolDefinition,
  args: { readonly [name: string]: unknown },
): () => Promise<unknown> {
  const call = { callId: 'c', tool, arguments: args, idempotencyKey: 'c', attempt: 1 }
  return () => instance.invoke(call, context)
}

/** Asks, reads head and page, hashes, decodes and counts lines as the adapter does, wherever the path leads. */
function unguarded(path: string): string {
  const fd = openSync(path, constants.O_RDONLY)
  try {
    const { size } = fstatSync(fd)
    const head = Buffer.allocUnsafe(8192)
    const binary = head.subarray(0, readSync(fd, head, 0, head.length, 0)).includes(0)
    const page = Buffer.allocUnsafe(65_536)
    const bytes = page.subarray(0, readSync(fd, page, 0, page.length, 0))
    let lines = 0
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines += 1
    const whole = Buffer.allocUnsafe(size)
    readSync(fd, whole, 0, size, 0)
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return `${binary} ${lines} ${hash('sha256', whole, 'hex')} ${text}`
  } finally {
    closeSync(fd)
  }
}

function readBytes(path: string, offset: number, length: number): Buffer {
  const fd = openSync(path, constants.O_RDONLY)
  const bytes = Buffer.allocUnsafe(length)
  readSync(fd, bytes, 0, length, offset)
  closeSync(fd)
  return bytes
}

function repeated(work: () => unknown): Subject['run'] {
  return (count) => {
    for (let n = 0; n < count; n++) work()
  }
}

function awaited(work: () => Promise<unknown>): Subject['run'] {
  return async (count) => {
    for (let n = 0; n < count; n++) await work()
  }
}
