import { type ChildProcess, spawn } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { existsSync, writeFileSync } from 'node:fs'

import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { commandHook } from '../../src/command.ts'
import { createHookBus } from '../../src/index.ts'
import { decides, isAlive, says, scratchFile, script, until, written } from './support.ts'

const quote = JSON.stringify

/** Writes its own process id to a file, then waits for ever. */
const waits = (path: string): string =>
  `require("node:fs").writeFileSync(${quote(path)}, process.pid + "\\n"); setInterval(() => {}, 1000)`

async function pidIn(path: string): Promise<number> {
  return Number(await written(path))
}

const gone = (pid: number): Promise<true> =>
  until(async () => ((await isAlive(pid)) ? undefined : true))

describe('the matcher', () => {
  it('must match the whole name; other tools start no process (H94)', async () => {
    const spawned: string[] = []
    for (const tool of ['local::write_file', 'local::overwrite_file']) {
      const path = scratchFile()
      const code = `require("node:fs").writeFileSync(${quote(path)}, "x\\n")`
      await commandHook(script(code, { dialect: 'exit-code', matcher: 'write_.*' }))({ tool })
      if (existsSync(path)) spawned.push(tool)
    }
    expect(spawned).toEqual(['local::write_file'])
  })

  it.each([
    ['mcp__files__.*', 'mcp::files::read', true],
    ['read|write', 'local::write', true],
    ['read|write', 'local::rewrite', false],
    ['*', 'any::thing', true],
    ['.*', 'http::tickets::create', true],
    ['', 'any::thing', true],
    [' ', 'any::thing', true],
    ['notes::x::get-sum', 'notes::x::get-sum', true],
    ['notes__x__get-sum', 'notes::x::get-sum', true],
    ['notes__x__get_sum', 'notes::x::get-sum', true],
    ['notes__x__get_sum_08b09642', 'notes::x::get-sum', true],
    ['notes::.*', 'notes::x::get-sum', true],
    ['get-sum', 'notes::x::get-sum', false],
    ['pay', 'local::pay', true],
    ['local::pay', 'local::pay', true],
    ['local__pay', 'local::pay', true],
  ])('%s and %s: %s', async (matcher, tool, matches) => {
    const answer = await commandHook(says('', { code: 2, matcher }))({ tool })
    expect(answer).toEqual(matches ? { action: 'block' } : undefined)
  })
})

describe('a command that fails', () => {
  it('is missing: the handler throws and names it', async () => {
    const hook = commandHook({ command: '/nowhere/guard', dialect: 'exit-code' })
    await expect(hook({})).rejects.toMatchObject({
      message: 'Hook command "guard" could not be started (ENOENT).',
      cause: '/nowhere/guard: spawn /nowhere/guard ENOENT',
    })
  })

  it('is written like a line of shell: the message says what to do', async () => {
    const hook = commandHook({ command: 'python3 guard.py' })
    await expect(hook({})).rejects.toThrow(/no shell reads it, arguments go into args/)
  })

  it('cannot be started at all: still a plain failure', async () => {
    await expect(commandHook({ command: 'a\0b' })({})).rejects.toThrow(/could not be started/)
    await expect(commandHook({ command: process.execPath, cwd: '/nowhere' })({})).rejects.toThrow(
      /could not be started/,
    )
  })

  it('lets the call go on and says so aloud when failClosed is false', async () => {
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
    const hook = commandHook(says('', { code: 1, stderr: 'why', failClosed: false }))
    expect(await hook({})).toBeUndefined()
    expect((await warned).message).toContain('ended with exit code 1')
  })

  it('says no path of this machine to a model, and all of it to operators', async () => {
    const hooks = [
      commandHook({ command: '/nowhere/guard' }),
      commandHook({ command: process.execPath, cwd: '/nowhere' }),
      commandHook(says('', { code: 3, stderr: 'cannot read /nowhere/rules' })),
      commandHook(says({ action: 'maybe' })),
      commandHook(script('setInterval(() => {}, 1000)', { timeoutMs: 200 })),
      commandHook(says({ action: 'modify', args: { a: 1 } })),
    ]
    const bus = createHookBus<{ call: { payload: object; gate: object | undefined } }>()
    bus.declare('call', { kind: 'gate', fault: 'block' })
    for (const hook of hooks) bus.on('call', hook)
    const { trace } = await bus.run('call', {})
    for (const { fault } of trace) expect(fault).toMatch(/\(.*\/(node|guard)\b/)
    const messages = await Promise.all(
      hooks.map((hook) => hook({}).then(String, ({ message }: Error) => message)),
    )
    for (const message of messages) expect(message).toMatch(/^Hook command "\w+" [^/]*\.$/)
  })

  it('writes without end: it is ended', async () => {
    const code = 'const f = () => process.stdout.write("x".repeat(65536), f); f()'
    await expect(commandHook(script(code))({})).rejects.toThrow(/more than 1 MiB to stdout/)
  })

  it('floods stderr: that is read and dropped', async () => {
    const code = 'process.stderr.write("x".repeat(5e6)); process.exitCode = 2'
    const hook = commandHook(script(code, { dialect: 'exit-code' }))
    expect(await hook({})).toEqual({ action: 'block', message: 'x'.repeat(400) })
  })

  it('does not read its input, however long: the decision counts', async () => {
    const hook = commandHook({
      command: process.execPath,
      args: ['-e', 'console.error("no"); process.exitCode = 2'],
      dialect: 'exit-code',
    })
    const answer = await hook({ arguments: { text: 'x'.repeat(1_000_000) } })
    expect(answer).toEqual({ action: 'block', message: 'no' })
  })

  it('is not asked about a call that is too large', async () => {
    const hook = commandHook(decides(null))
    await expect(hook({ arguments: { text: 'x'.repeat(9 * 1024 * 1024) } })).rejects.toThrow(
      /was not asked: the call is larger than 8 MiB/,
    )
  })
})

describe.skipIf(process.platform === 'win32')('a command that does not end', () => {
  it('is ended at its time limit, and the handler throws', async () => {
    const path = scratchFile()
    const hook = commandHook(script(waits(path), { timeoutMs: 400 }))
    await expect(hook({})).rejects.toThrow(/did not answer within 400 ms\.$/)
    if (existsSync(path)) await gone(await pidIn(path))
  })

  it('has written an answer: the failure says that it did not end', async () => {
    const code =
      'console.log(JSON.stringify({ nonce: input.nonce, decision: null })); setInterval(() => {}, 1000)'
    await expect(commandHook(script(code, { timeoutMs: 1500 }))({})).rejects.toThrow(
      /wrote to stdout, but did not end within 1500 ms/,
    )
  })

  it('is in time when it ended while this process was held up beyond the limit', async () => {
    const hook = commandHook({
      command: '/bin/sh',
      args: ['-c', 'exit 2'],
      dialect: 'exit-code',
      timeoutMs: 300,
    })
    const answer = hook({})
    await new Promise((resolve) => setImmediate(resolve))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500)
    expect(await answer).toEqual({ action: 'block' })
  })

  it('is ended with what it started when the signal is aborted', async () => {
    const [own, child] = [scratchFile(), scratchFile()]
    const code =
      `require("node:child_process").spawn(process.execPath, ["-e", ${quote(waits(child))}]);` +
      `process.on("SIGTERM", () => {}); ${waits(own)}`
    const controller = new AbortController()
    const answer = commandHook(script(code, { timeoutMs: 60_000 }))({ signal: controller.signal })
    const pids = [await pidIn(own), await pidIn(child)]
    const reason = new Error('stop')
    controller.abort(reason)
    await expect(answer).rejects.toBe(reason)
    await Promise.all(pids.map(gone))
  })

  it('leaves nothing behind that it started in the background', async () => {
    const child = scratchFile()
    const code =
      `require("node:child_process").spawn(process.execPath, ["-e", ${quote(waits(child))}], { stdio: "inherit" }).unref();` +
      `const { existsSync } = require("node:fs");` +
      `const wait = setInterval(() => { if (existsSync(${quote(child)})) { clearInterval(wait); process.exit(0) } }, 5)`
    const hook = commandHook(script(code, { dialect: 'exit-code', timeoutMs: 60_000 }))
    expect(await hook({})).toBeUndefined()
    await gone(await pidIn(child))
  })

  it('is not started when the signal is aborted already', async () => {
    const path = scratchFile()
    const signal = AbortSignal.abort(new Error('before'))
    const hook = commandHook(script(waits(path)))
    await expect(hook({ signal })).rejects.toThrow('before')
    expect(existsSync(path)).toBe(false)
  })

  it('leaves no listener on the signal', async () => {
    const { signal } = new AbortController()
    const added = vi.spyOn(signal, 'addEventListener')
    const removed = vi.spyOn(signal, 'removeEventListener')
    await commandHook(says('{}'))({ signal })
    expect(removed.mock.calls.length).toBe(added.mock.calls.length)
  })
})

/** A host whose hook waits for ever, and what the hook started too; the pids of both once they run. */
async function askingHost(how: string): Promise<{
  readonly host: ChildProcess
  readonly pids: readonly number[]
  readonly ended: Promise<number | string | null>
}> {
  const [own, child] = [scratchFile(), scratchFile()]
  const code =
    `require("node:child_process").spawn(process.execPath, ["-e", ${quote(waits(child))}]);` +
    waits(own)
  const fixture = new URL('../fixtures/asking-host.ts', import.meta.url).pathname
  const host = spawn(process.execPath, ['--conditions=@callgate/source', fixture, how, code], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  onTestFinished(() => void host.kill('SIGKILL'))
  const ended = new Promise<number | string | null>((resolve) => {
    host.once('exit', (exitCode, signal) => resolve(signal ?? exitCode))
  })
  return { host, pids: [await pidIn(own), await pidIn(child)], ended }
}

describe.skipIf(process.platform === 'win32')('a host that goes away while its hook runs', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'dies of %s as it would without hooks, and the hook is ended with what it started',
    async (signal) => {
      const { host, pids, ended } = await askingHost('waits')
      host.kill(signal)
      expect(await ended).toBe(signal)
      await Promise.all(pids.map(gone))
    },
  )

  it.each(['exit', 'throw'])('leaves no hook behind: %s', async (how) => {
    const { host, pids, ended } = await askingHost(how)
    host.stdin!.write('now')
    expect(await ended).toBe(1)
    await Promise.all(pids.map(gone))
  })

  it('keeps its own signal handlers: the hook lives as long as the host does', async () => {
    const { host, pids, ended } = await askingHost('handles')
    const handled = new Promise<string>((resolve) => {
      host.stdout!.once('data', (chunk: Buffer) => resolve(chunk.toString()))
    })
    host.kill('SIGTERM')
    expect(await handled).toBe('handled\n')
    expect(await Promise.all(pids.map(isAlive))).toEqual([true, true])
    host.kill('SIGINT')
    expect(await ended).toBe(7)
    await Promise.all(pids.map(gone))
  })

  it('dies of the signal where another listener only stands for its default effect too', async () => {
    const { host, pids, ended } = await askingHost('shares')
    host.kill('SIGTERM')
    expect(await ended).toBe('SIGTERM')
    await Promise.all(pids.map(gone))
  })

  it('has no listener left once no hook runs', async () => {
    const names = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'] as const
    const before = names.map((name) => process.listenerCount(name))
    await commandHook(decides(null))({})
    expect(names.map((name) => process.listenerCount(name))).toEqual(before)
  })
})

describe.skipIf(process.platform === 'win32')('an answer with exit code 0', () => {
  it('counts soon after, though a process that left the group holds stdout open', async () => {
    const path = scratchFile()
    const code =
      `require("node:child_process").spawn(process.execPath, ["-e", ${quote(waits(path))}], ` +
      `{ stdio: ["ignore", "inherit", "ignore"], detached: true }).unref();` +
      'console.log(JSON.stringify({ nonce: input.nonce, decision: { action: "allow" } }))'
    const startedAt = performance.now()
    const answer = await commandHook(script(code, { timeoutMs: 60_000 }))({})
    expect(answer).toEqual({ action: 'allow' })
    expect(performance.now() - startedAt).toBeLessThan(30_000)
    process.kill(await pidIn(path), 'SIGKILL')
  })

  it('is read whole, though this process was held up when the command had ended', async () => {
    const path = scratchFile()
    const holdUp = (ms: number): void =>
      void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
    const children: ChildProcess[] = []
    const onChild = (message: unknown): void => {
      children.push((message as { process: ChildProcess }).process)
      if (children.length === 2) queueMicrotask(holdUpBoth)
    }
    subscribe('child_process', onChild)
    onTestFinished(() => void unsubscribe('child_process', onChild))
    // The end of the first is heard with that of the second, before what it wrote is, and the next turn comes late.
    const holdUpBoth = (): void => {
      const [first, second] = children
      second!.stdout!.once('data', () => {
        writeFileSync(path, '')
        holdUp(1000)
      })
      first!.once('exit', () => setImmediate(() => holdUp(500)))
      holdUp(1000)
    }
    const sh = (text: string) =>
      commandHook({
        command: '/bin/sh',
        args: ['-c', text],
        dialect: 'exit-code',
        timeoutMs: 60_000,
      })
    const waiting = `until [ -e ${path} ]; do sleep 0.01; done; `
    const first = sh(`${waiting} echo '{"decision":"block","reason":"no"}'`)({})
    await until(() => children[0]?.stdout ?? undefined)
    await sh('echo second')({})
    expect(await first).toEqual({ action: 'block', message: 'no' })
  })
})

describe('many commands at once', () => {
  const many = 30
  const quick = { command: process.execPath, args: ['-e', ''], dialect: 'exit-code' } as const

  it('are started one a turn of the event loop, so that this process is not held up', async () => {
    const running = (): number =>
      process.getActiveResourcesInfo().filter((each) => each === 'ProcessWrap').length
    const hook = commandHook({ ...quick, timeoutMs: 60_000 })
    let [before, most] = [running(), 0]
    const open = new Set(Array.from({ length: many }, (_, index) => index))
    const answers = [...open].map((index) => hook({}).finally(() => open.delete(index)))
    while (open.size > 0) {
      await new Promise((resolve) => setImmediate(resolve))
      most = Math.max(most, running() - before)
      before = running()
    }
    await Promise.all(answers)
    expect(most).toBeLessThanOrEqual(2)
  })

  it('have their time from when they are asked: the wait for the others is part of it', async () => {
    const hook = commandHook({ ...quick, timeoutMs: 1 })
    const answers = await Promise.allSettled(Array.from({ length: many }, () => hook({})))
    expect(answers.filter(({ status }) => status === 'fulfilled')).toEqual([])
    expect(answers.at(-1)).toMatchObject({
      reason: { message: expect.stringMatching(/was not started within 1 ms/) as string },
    })
  })

  it('are not started any more when their signal is aborted while they wait', async () => {
    const path = scratchFile()
    const controller = new AbortController()
    const first = commandHook(quick)({})
    const second = commandHook(script(waits(path)))({ signal: controller.signal })
    controller.abort(new Error('no more'))
    await expect(second).rejects.toThrow('no more')
    await first
    expect(existsSync(path)).toBe(false)
  })
})

describe('the environment', () => {
  const tells =
    'console.error(process.env.SECRET, process.env.OWN, process.cwd()); process.exitCode = 2'

  it('is that of this process, unless another is given whole', async () => {
    vi.stubEnv('SECRET', 'shh')
    const inherits = commandHook(script(tells, { dialect: 'exit-code', cwd: '/' }))
    expect(await inherits({})).toEqual({ action: 'block', message: 'shh undefined /' })
    const given = commandHook(
      script(tells, { dialect: 'exit-code', cwd: '/', env: { OWN: 'mine' } }),
    )
    expect(await given({})).toEqual({ action: 'block', message: 'undefined mine /' })
    vi.unstubAllEnvs()
  })
})
