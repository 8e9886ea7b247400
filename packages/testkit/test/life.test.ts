import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, renameSync, rmSync, unlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isMainThread, Worker } from 'node:worker_threads'

import { ToolError, type BoundAdapter } from '@callgate/spec'
import { expect, it, onTestFinished } from 'vitest'

import { cancelled, memoryAdapter, withTool } from './fixtures/memory-adapter.ts'
import { failedChecks, only } from './fixtures/run-suite.ts'

/** Where open files and event loops are seen. */
const seesDescriptors = process.platform === 'linux' && isMainThread

it('a socket opened by create fails only create', async () => {
  const factory = memoryAdapter((good) => {
    const server = createServer().listen(0, '127.0.0.1')
    return {
      stop: async (options) => {
        server.close()
        await good.stop?.(options)
      },
    }
  })
  expect(await failedChecks(factory)).toEqual(
    only('create', /create opened .*that belongs into start/),
  )
})

it('a timer begun by create behind an await fails only create', async () => {
  const factory = memoryAdapter((good) => {
    const timer = Promise.resolve().then(() => setTimeout(() => {}, 60_000))
    return {
      stop: async (options) => {
        clearTimeout(await timer)
        await good.stop?.(options)
      },
    }
  })
  expect(await failedChecks(factory)).toEqual(only('create', /create opened Timeout/))
})

it('a stop that waits for its calls fails only stop', async () => {
  const factory = memoryAdapter((good) => {
    const running = new Set<Promise<unknown>>()
    return {
      invoke: (call, context) => {
        const run = good.invoke(call, context)
        running.add(run)
        return run.finally(() => running.delete(run))
      },
      stop: async () => {
        await Promise.allSettled(running)
      },
    }
  })
  expect(await failedChecks(factory)).toEqual(only('stop', /The first stop took longer than/))
})

it('a stop that works once fails only stop', async () => {
  const factory = memoryAdapter((good) => {
    let stopped = false
    return {
      stop: async (options) => {
        if (stopped) throw new Error('stopped already')
        stopped = true
        await good.stop?.(options)
      },
    }
  })
  expect(await failedChecks(factory)).toEqual(only('stop', /stopped already/))
})

it('a call that is forgotten when the adapter is stopped fails only stop', async () => {
  const factory = withTool(
    'wait',
    (_call, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(cancelled('unknown')))
      }),
  )
  expect(await failedChecks(factory)).toEqual(only('stop', /has no outcome/))
})

it('a timer that is left behind fails only leaks', async () => {
  const timers: NodeJS.Timeout[] = []
  onTestFinished(() => timers.forEach(clearInterval))
  const start = async () => void timers.push(setInterval(() => {}, 60_000))
  const factory = memoryAdapter(() => ({ start }))
  expect(await failedChecks(factory)).toEqual(
    only('leaks', /After stop there are left: Timeout \(1\)/),
  )
})

it.runIf(process.platform === 'linux')(
  'a process that is left behind fails only leaks, though nothing waits for it',
  async () => {
    const children: ChildProcess[] = []
    onTestFinished(() => children.forEach((child) => void child.kill('SIGKILL')))
    const factory = memoryAdapter(() => ({
      start: async () => {
        const child = spawn('sleep', ['60'], { stdio: 'ignore' })
        child.unref()
        children.push(child)
      },
    }))
    const left = /After stop there are left: child process \(1\)/
    expect(await failedChecks(factory)).toEqual(only('leaks', left))
  },
)

it.runIf(seesDescriptors)('a file that is left open fails only leaks, by its name', async () => {
  const files: number[] = []
  onTestFinished(() => files.forEach((fd) => closeSync(fd)))
  const start = async () => void files.push(openSync(import.meta.filename, 'r'))
  const factory = memoryAdapter(() => ({ start }))
  const left = /After stop there are left: open file .*life\.test\.ts \(1\)\./
  expect(await failedChecks(factory)).toEqual(only('leaks', left))
})

it.runIf(seesDescriptors)(
  'a worker thread that is left behind fails only leaks, though nothing waits for it',
  async () => {
    const workers: Worker[] = []
    onTestFinished(async () => {
      await Promise.all(workers.map((worker) => worker.terminate()))
    })
    const factory = memoryAdapter(() => ({
      start: async () => {
        const worker = new Worker('setInterval(() => {}, 60_000)', { eval: true })
        workers.push(worker)
        await once(worker, 'online')
        worker.unref()
      },
    }))
    const left = /After stop there are left: .*thread with an event loop \(1\)/
    expect(await failedChecks(factory)).toEqual(only('leaks', left))
  },
)

it.runIf(seesDescriptors).each([
  ['renamed', (path: string) => renameSync(path, `${path}.1`)],
  ['removed', (path: string) => unlinkSync(path)],
])('a file that was open before passes, though it is %s meanwhile', async (_name, change) => {
  const folder = mkdtempSync(join(tmpdir(), 'callgate-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const factory = (): Promise<BoundAdapter> => {
    const path = join(folder, `${randomUUID()}.log`)
    const fd = openSync(path, 'w')
    onTestFinished(() => closeSync(fd))
    return memoryAdapter(() => ({ start: async () => change(path) }))()
  }
  expect(await failedChecks(factory)).toEqual({})
})

it.runIf(seesDescriptors).each([
  ['passes', true, {}],
  [
    'fails only leaks where the old one stays open',
    false,
    only('leaks', /left: open file .*\.log \(1\)\./),
  ],
])('a log that is begun anew under its name meanwhile %s', async (_name, closes, expected) => {
  const folder = mkdtempSync(join(tmpdir(), 'callgate-'))
  const open: number[] = []
  onTestFinished(() => {
    open.forEach((fd) => closeSync(fd))
    rmSync(folder, { recursive: true })
  })
  const factory = (): Promise<BoundAdapter> => {
    const path = join(folder, `${randomUUID()}.log`)
    open.push(openSync(path, 'w'))
    return memoryAdapter(() => ({
      start: async () => {
        renameSync(path, `${path}.1`)
        if (closes) closeSync(open.pop()!)
        open.push(openSync(path, 'w'))
      },
    }))()
  }
  expect(await failedChecks(factory)).toEqual(expected)
})

it('files and threads that go with the adapter pass', async () => {
  const factory = memoryAdapter((good) => {
    const ends: (() => unknown)[] = []
    return {
      start: async () => {
        const fd = openSync(import.meta.filename, 'r')
        const worker = new Worker('setInterval(() => {}, 60_000)', { eval: true })
        ends.push(
          () => closeSync(fd),
          () => worker.terminate(),
        )
      },
      stop: async (options) => {
        await good.stop?.(options)
        await Promise.all(ends.splice(0).map((end) => end()))
      },
    }
  })
  expect(await failedChecks(factory)).toEqual({})
})

it('an adapter that does not start fails lifecycle with the reason, but not what needs no start', async () => {
  const factory = memoryAdapter(() => ({
    start: async () => {
      throw new ToolError({ code: 'backend_unavailable', message: 'no server', started: 'no' })
    },
  }))
  const failed = await failedChecks(factory)
  expect(failed['lifecycle']).toBe('no server')
  expect(failed['contract']).toBeUndefined()
  expect(failed['create']).toBeUndefined()
})

it('an adapter without tools fails lifecycle', async () => {
  const factory = memoryAdapter(() => ({ discover: async () => [] }))
  const failed = await failedChecks(factory)
  expect(failed['lifecycle']).toMatch(/has no tools/)
})
