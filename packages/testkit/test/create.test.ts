import { spawn } from 'node:child_process'
import { readFile as readFileLater, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

import type { BoundAdapter } from '@callgate/spec'
import { expect, it, onTestFinished } from 'vitest'

import { memoryAdapter } from './fixtures/memory-adapter.ts'
import { failedChecks, only } from './fixtures/run-suite.ts'

/** What puts away what was opened. */
type Close = () => unknown

/** An adapter whose create does this, and whose stop puts it away. */
function creating(begin: () => Close): () => Promise<BoundAdapter> {
  return memoryAdapter((good) => {
    const close = begin()
    return {
      stop: async (options) => {
        await close()
        await good.stop?.(options)
      },
    }
  })
}

const here = import.meta.filename

/** Far behind the turns that somebody would watch by the number. */
async function manyAwaits(): Promise<void> {
  for (let turn = 0; turn < 200; turn++) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await new Promise<void>((resolve) => process.nextTick(resolve))
  }
}

it.each<readonly [string, RegExp, () => Close]>([
  ['reads a file behind a promise', /FSREQ/, () => waitFor(readFile(here))],
  ['reads a file with a callback', /FSREQ/, () => (readFileLater(here, () => {}), () => {})],
  [
    'reads a file behind many awaits',
    /FSREQ/,
    () => waitFor(manyAwaits().then(() => readFile(here))),
  ],
  [
    'listens though nothing waits for it',
    /TCPSERVERWRAP/,
    () => {
      const server = createServer().listen(0, '127.0.0.1').unref()
      return () => server.close()
    },
  ],
  [
    'connects though nothing waits for it',
    /TCPWRAP/,
    () => {
      const socket = connect(9, '127.0.0.1').unref()
      socket.on('error', () => {})
      return () => socket.destroy()
    },
  ],
  [
    'begins a timer that nothing waits for',
    /Timeout \(1\)/,
    () => {
      const timer = setInterval(() => {}, 60_000).unref()
      return () => clearInterval(timer)
    },
  ],
  [
    'starts a process',
    /PROCESSWRAP/,
    () => {
      const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
      return () => child.kill()
    },
  ],
  [
    'starts a thread',
    /WORKER/,
    () => {
      const worker = new Worker('', { eval: true })
      return () => void worker.terminate()
    },
  ],
])('a create that %s fails only create', async (_what, opened, begin) => {
  const failed = await failedChecks(creating(begin))
  expect(failed).toEqual(only('create', opened))
  expect(failed['create']).toMatch(/^create opened .*; that belongs into start\.$/)
})

it('a create that writes a file fails only create', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'suite-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const factory = creating(() => waitFor(writeFile(join(folder, 'made'), 'x')))
  expect(await failedChecks(factory)).toEqual(only('create', /FSREQ/))
})

it('a create that opens nothing passes, whatever it makes', async () => {
  const factory = creating(() => {
    const agent = new Agent({ keepAlive: true })
    const signal = AbortSignal.any([new AbortController().signal])
    const server = createServer()
    queueMicrotask(() => {})
    const digest = crypto.subtle.digest('SHA-256', readFileSync(here))
    return async () => [agent.destroy(), server.close(), signal, await digest, await manyAwaits()]
  })
  expect(await failedChecks(factory)).toEqual({})
})

it('what others open while create is watched is not blamed on it', async () => {
  const good = memoryAdapter()
  let read = 0
  const factory = async (): Promise<BoundAdapter> => {
    const bound = await good()
    setImmediate(() => readFileLater(here, () => read++))
    return bound
  }
  expect(await failedChecks(factory)).toEqual({})
  expect(read).toBeGreaterThan(0)
})

function waitFor(work: Promise<unknown>): Close {
  return () => work
}
