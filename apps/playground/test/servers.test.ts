import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { describe, expect, it, onTestFinished } from 'vitest'

import {
  expectOneLine,
  file,
  folder,
  main,
  shapes,
  start,
  twoCalls,
  withoutWaiting,
} from './support.ts'

const helloTool = { name: 'hello', inputSchema: { type: 'object' } }
const answers: { readonly [method: string]: object } = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 's', version: '1' },
  },
  'tools/list': { tools: [helloTool] },
  'tools/call': { content: [{ type: 'text', text: 'hello' }] },
}

/** A server that takes its time until it answers; its one tool says hello. */
const slowServer = (afterMs: number, results = JSON.stringify(answers)): string => `
import { createInterface } from 'node:readline'
const results = ${results}
const read = () => createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }))
})
setTimeout(read, ${afterMs})
process.stdin.once('end', () => process.exit())
`

describe('an MCP server of the configuration', () => {
  it('waits for a server that starts slowly, and says so', async () => {
    const server = await file('slow-server.mjs', slowServer(5000))
    const config = await file(
      'slow-server.yaml',
      `mcp_servers:\n  slow:\n    command: ${process.execPath}\n    args: [${server}]\n`,
    )
    const calls = JSON.stringify({ calls: [{ name: 'mcp__slow__hello', arguments: {} }] })
    const turn = await file('hello.json', shapes.anthropic(calls))
    const { code, stdout, stderr } = await start(['--turn', turn, '--config', config, '--json'])
    expect(stderr).toMatch(/^waiting up to 10 s for MCP servers: slow \(.*slow-server\.mjs\)\n$/)
    expect((JSON.parse(stdout) as { results: object[] }).results).toMatchObject([{ status: 'ok' }])
    expect(code).toBe(0)
  }, 30_000)

  it.each([
    ['the folder of the configuration', '', '.'],
    ['its cwd, from there', '    cwd: below\n', 'below'],
    ['the folder that a variable names', '    cwd: "{env:SERVER_FOLDER}"\n', 'below'],
  ])('runs in %s', async (_where, field, expected) => {
    const place = await realpath(await mkdtemp(join(tmpdir(), 'callgate-servers-')))
    onTestFinished(() => rm(place, { recursive: true }))
    await mkdir(join(place, 'below'))
    const server = slowServer(
      0,
      JSON.stringify(answers).replace('"text":"hello"', '"text":process.cwd()'),
    )
    await writeFile(join(place, 'server.mjs'), server)
    const args = `[${join(place, 'server.mjs')}]`
    const config = join(place, 'tools.yaml')
    const fields = `    command: ${process.execPath}\n    args: ${args}\n    trust: true\n${field}`
    await writeFile(config, `mcp_servers:\n  some:\n${fields}`)
    const calls = JSON.stringify({ calls: [{ name: 'mcp__some__hello', arguments: {} }] })
    const turn = await file('where.json', shapes.anthropic(calls))
    const env = { ...process.env, SERVER_FOLDER: join(place, 'below') }
    const { stdout } = await start(['--turn', turn, '--config', config, '--json'], env)
    expect((JSON.parse(stdout) as { results: object[] }).results).toMatchObject([
      { content: [{ text: join(place, expected) }] },
    ])
  })

  it.skipIf(process.platform === 'win32')('finds a socket from there', async () => {
    const path = join(folder, 'some.sock')
    const server = createServer((socket) => {
      const lines = createInterface({ input: socket }).on('line', (line) => {
        const { id, method } = JSON.parse(line) as { id?: number; method: string }
        const result = answers[method] ?? {}
        if (id !== undefined) socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
      })
      socket.on('error', () => lines.close())
    })
    await new Promise<void>((resolve) => server.listen(path, resolve))
    onTestFinished(() => void server.close())
    const config = await file('socket.yaml', 'mcp_servers:\n  some:\n    socket: some.sock\n')
    const calls = JSON.stringify({ calls: [{ name: 'mcp__some__hello', arguments: {} }] })
    const turn = await file('some.json', shapes.anthropic(calls))
    const { code } = await start(['--turn', turn, '--config', config])
    expect(code).toBe(0)
  })

  it('goes on without a tool that does not fit, and says so', async () => {
    const parameters = { type: 'object', properties: { a: { type: 'nonsense' } } }
    const tools = [{ name: 'bad', description: 'x', inputSchema: parameters }, helloTool]
    const server = await file(
      'bad-tool.mjs',
      slowServer(0, JSON.stringify({ ...answers, 'tools/list': { tools } })),
    )
    const config = await file(
      'bad-tool.yaml',
      `mcp_servers:\n  some:\n    command: ${process.execPath}\n    args: [${server}]\n`,
    )
    const calls = JSON.stringify({ calls: [{ name: 'mcp__some__hello', arguments: {} }] })
    const turn = await file('some.json', shapes.anthropic(calls))
    const { code, stderr } = await start(['--turn', turn, '--config', config, '--json'])
    expect(withoutWaiting(stderr)).toMatch(/^warning: mcp: tools are left out: bad \(.*\n$/)
    expect(code).toBe(0)
  })

  it('says which server was not ready in its time, and what may help', async () => {
    const server = await file('late-server.mjs', slowServer(600_000))
    const config = await file(
      'late-server.yaml',
      `mcp_servers:\n  late:\n    command: ${process.execPath}\n    args: [${server}]\n`,
    )
    const turn = await file('turn.json', shapes.anthropic(twoCalls))
    const { code, stderr } = await start(['--turn', turn, '--config', config])
    expect(stderr).toMatch(
      /\nbackend_unavailable: .*late: not ready within 10000 ms.*still be installing.*timeout_seconds/,
    )
    expect(code).toBe(8)
  }, 40_000)

  it('says at once that one failed while it waits for another', async () => {
    const server = await file('other-server.mjs', slowServer(7000))
    const config = await file(
      'one-fails.yaml',
      `mcp_servers:\n  other:\n    command: ${process.execPath}\n    args: [${server}]\n  gone:\n    command: sh\n    args: [-c, "sleep 1; exit 3"]\n`,
    )
    const turn = await file('turn.json', shapes.anthropic(twoCalls))
    const { code, stderr } = await start(['--turn', turn, '--config', config])
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/^waiting up to 10 s for MCP servers: other /),
      expect.stringMatching(/^not there: gone: .*exit code 3/),
      expect.stringMatching(/^backend_unavailable: .*gone: .*exit code 3/),
    ])
    expect(code).toBe(8)
  }, 30_000)

  it('says of one that refuses its credentials that they are to be looked at', async () => {
    const refusing = createHttpServer((_request, response) => response.writeHead(401).end())
    onTestFinished(() => void refusing.close())
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve))
    const { port } = refusing.address() as AddressInfo
    const config = await file(
      'refusing.yaml',
      `mcp_servers:\n  closed:\n    url: http://127.0.0.1:${port}/mcp\n`,
    )
    const turn = await file('turn.json', shapes.anthropic(twoCalls))
    const { code, stderr } = await start(['--turn', turn, '--config', config])
    expect(withoutWaiting(stderr)).toMatch(
      /(?:^|\n)backend_unavailable: .*status 401.*Check the headers of "closed"/,
    )
    expect(code).toBe(8)
  }, 30_000)

  it.each([
    ['command: no-such-program-x', /no-such-program-x was not found.*spelled right and installed/],
    ['command: sh\n    args: [-c, nosuchx]', /not found.*Check that the command `sh -c nosuchx`/],
    ['command: sh\n    cwd: no-such-folder', /no-such-folder was not found.*"gone" a cwd that is/],
    ['socket: no-such.sock', /connect ENOENT.*a server listens at .*no-such\.sock/],
  ])('says what may help where a server is not there: %j', async (server, line) => {
    const turn = await file('turn.json', shapes.anthropic(twoCalls))
    const config = await file('gone.yaml', `mcp_servers:\n  gone:\n    ${server}\n`)
    const { code, stderr } = await start(['--turn', turn, '--config', config])
    expect(withoutWaiting(stderr)).toMatch(line)
    expect(code).toBe(8)
  })

  it('a dead MCP server gives one line that names it', async () => {
    const turn = await file('turn.json', shapes.anthropic(twoCalls))
    for (const command of ['/no/such/program', '"false"']) {
      const config = await file('dead.yaml', `mcp_servers:\n  gone:\n    command: ${command}\n`)
      const ran = await start(['--turn', turn, '--config', config])
      expectOneLine(ran)
      expect(ran.stderr).toMatch(/^backend_unavailable: .*gone/)
      expect(ran.code).toBe(8)
    }
  })
})

describe('a stop while it waits for servers', () => {
  it('ends them, says so in one line and exits 130', async () => {
    const config = await file(
      'never.yaml',
      'mcp_servers:\n  never:\n    command: sleep\n    args: ["600"]\n    timeout_seconds: 600\n',
    )
    const turn = await file('turn.json', shapes.anthropic(twoCalls))
    const child = spawn(
      process.execPath,
      ['--conditions=@callgate/source', main, '--turn', turn, '--config', config],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
    await expect.poll(() => said, { timeout: 20_000 }).toContain('waiting up to 600 s')
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    expect(said.trim().split('\n').slice(1)).toEqual(['stopped'])
  }, 30_000)
})

/** Says when a program begins to read its standard input. */
const tellsOfStart = `data:text/javascript,${encodeURIComponent(
  `process.stdin.on('newListener', (name) => name === 'readable' && process.stderr.write('reads\\n'))`,
)}`

describe('a stop while it waits for what may never come', () => {
  it('gives up a document that is not answered', async () => {
    const asked = Promise.withResolvers<void>()
    const silent = createServer((socket) => {
      socket.on('error', () => undefined)
      asked.resolve()
    })
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    const address = `http://127.0.0.1:${port}`
    const config = await file(
      'silent.yaml',
      `openapi:\n  a: { document: '${address}/a.json', server: '${address}', allow: [127.0.0.1] }\n`,
    )
    const turn = await file('turn.json', shapes.anthropic(twoCalls))
    const child = spawn(
      process.execPath,
      ['--conditions=@callgate/source', main, '--turn', turn, '--config', config],
      { stdio: 'ignore' },
    )
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
    await asked.promise
    const from = performance.now()
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    expect(performance.now() - from).toBeLessThan(15_000)
    silent.close()
  }, 60_000)

  it.each([[['--turn', '-']], [['repair', '--args', '{}', '--schema', '-']]])(
    'gives up standard input for %j',
    async (args) => {
      const child = spawn(
        process.execPath,
        ['--conditions=@callgate/source', '--import', tellsOfStart, main, ...args],
        { stdio: ['pipe', 'ignore', 'pipe'] },
      )
      let said = ''
      child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
      const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
      await expect.poll(() => said, { timeout: 20_000 }).toContain('reads\n')
      child.kill('SIGTERM')
      expect(await ended).toBe(143)
      expect(said).toBe('reads\nstopped\n')
    },
    30_000,
  )
})
