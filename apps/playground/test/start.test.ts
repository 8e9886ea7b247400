import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const main = new URL('../src/main.ts', import.meta.url).pathname

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs `start` as the command of the README does. */
function start(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ['--conditions=@callgate/source', main, ...args],
      { env: { ...env, NO_COLOR: '1' }, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        resolve({
          code: error === null ? 0 : ((error as { code?: number }).code ?? 1),
          stdout,
          stderr,
        })
      },
    )
    child.stdin?.end()
  })
}

/** Stderr without the line that a busy machine, where servers start slowly, makes it say. */
function withoutWaiting(stderr: string): string {
  return stderr.replace(/^waiting up to .*\n/, '')
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'callgate-playground-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function file(name: string, content: unknown): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const shapes = {
  'openai-chat': (calls: string) => ({
    choices: [
      {
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'tool_call', arguments: calls } },
          ],
        },
      },
    ],
  }),
  'openai-responses': (calls: string) => ({
    output: [
      { type: 'reasoning', id: 'rs_1', encrypted_content: 'x', summary: [] },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'tool_call', arguments: calls },
    ],
  }),
  anthropic: (calls: string) => ({
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 't', signature: 's' },
      { type: 'tool_use', id: 'toolu_1', name: 'tool_call', input: JSON.parse(calls) as unknown },
    ],
  }),
  bedrock: (calls: string) => ({
    output: {
      message: {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 't', signature: 's' } } },
          {
            toolUse: {
              toolUseId: 'tooluse_1',
              name: 'tool_call',
              input: JSON.parse(calls) as unknown,
            },
          },
        ],
      },
    },
  }),
} as const

/** A server that takes its time until it answers; its one tool says hello. */
const slowServer = (afterMs: number): string => `
import { createInterface } from 'node:readline'
const results = {
  initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
  'tools/list': { tools: [{ name: 'hello', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'hello' }] },
}
const read = () => createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }))
})
setTimeout(read, ${afterMs})
process.stdin.once('end', () => process.exit())
`

const twoCalls = JSON.stringify({
  calls: [
    { name: 'git__log', arguments: { max_count: '1' } },
    { name: 'http__tickets__list_tickets', arguments: { limit: '1' } },
  ],
})

describe('start', () => {
  it('plays the demo and says that all is as it should be', async () => {
    const before = await readdir(tmpdir())
    const { code, stdout, stderr } = await start([])
    expect(withoutWaiting(stderr)).toBe('')
    expect(stdout).toContain('All as it should be: 5 calls, 4 ok, 1 refused by a hook.')
    for (const title of [
      'Three real backends',
      'Expansion',
      'Repairs',
      'Hook decisions',
      'The seven steps',
      'Results',
      'Audit',
      'What goes back',
    ]) {
      expect(stdout).toContain(title)
    }
    expect(code).toBe(0)
    const left = (await readdir(tmpdir())).filter(
      (name) => name.startsWith('callgate-demo') && !before.includes(name),
    )
    expect(left).toEqual([])
  })

  it('gives the machine form with --json: blocks replaced in place, signed thinking untouched', async () => {
    const { stdout } = await start(['--json'])
    const { faults, results, messages, audit } = JSON.parse(stdout) as {
      faults: unknown[]
      results: { status: string }[]
      audit: unknown[]
      messages: { role: string; content: { type: string; signature?: string }[] }[]
    }
    expect(faults).toEqual([])
    expect(results.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok', 'denied'])
    expect(audit).toHaveLength(5)
    expect(messages[0]!.content.map(({ type }) => type)).toEqual([
      'thinking',
      'text',
      'redacted_thinking',
      ...Array.from({ length: 5 }, () => 'tool_use'),
    ])
    expect(messages[1]!.content.map(({ type }) => type)).toEqual(
      Array.from({ length: 5 }, () => 'tool_result'),
    )
  })

  it.each(Object.keys(shapes) as (keyof typeof shapes)[])(
    '--turn plays a message of %s',
    async (provider) => {
      const turn = await file(`${provider}.json`, shapes[provider](twoCalls))
      const { code, stdout, stderr } = await start(['--turn', turn, '--json'])
      expect(withoutWaiting(stderr)).toBe('')
      const played = JSON.parse(stdout) as {
        provider: string
        results: { status: string; callId: string }[]
      }
      expect(played.provider).toBe(provider)
      expect(played.results.map(({ status }) => status)).toEqual(['ok', 'ok'])
      expect(code).toBe(0)
    },
  )

  it("--config brings tools of the user's own", async () => {
    const config = await file(
      'tools.yaml',
      `tools:\n  - namespace: local\n    name: say\n    description: Says it.\n    parameters: { type: object, properties: { what: { type: string } }, required: [what] }\n    adapter: cli\n    command: echo\n    args_template: ['{what}']\n`,
    )
    const turn = await file(
      'say.json',
      shapes.anthropic(JSON.stringify({ calls: [{ name: 'say', arguments: { what: 'hello' } }] })),
    )
    const { code, stdout } = await start(['--turn', turn, '--config', config, '--json'])
    expect((JSON.parse(stdout) as { results: { data: unknown }[] }).results[0]!.data).toMatchObject(
      { stdout: 'hello\n' },
    )
    expect(code).toBe(0)
  })

  it('says what a program that failed says once', async () => {
    const config = await file(
      'fails.yaml',
      'tools:\n  - namespace: local\n    name: fail\n    description: Fails.\n    parameters: { type: object }\n    adapter: cli\n    command: node\n    args_template: ["-e", "process.exit(3)"]\n',
    )
    const calls = JSON.stringify({ calls: [{ name: 'fail', arguments: {} }] })
    const turn = await file('fail.json', shapes.anthropic(calls))
    const { code, stdout } = await start(['--turn', turn, '--config', config])
    const line = stdout.split('\n').find((each) => each.includes('tool_failed'))
    expect(line!.match(/exit code 3/g)).toHaveLength(1)
    expect(code).toBe(1)
  })

  it('refuses a call that needs a person, since there is nobody to ask', async () => {
    const config = await file(
      'confirm.yaml',
      'tools:\n  - namespace: local\n    name: wipe\n    description: Wipes.\n    parameters: { type: object }\n    adapter: cli\n    command: echo\n    args_template: [wiped]\n    confirm: true\n    confirm_message: Wipe it?\n',
    )
    const calls = JSON.stringify({ calls: [{ name: 'wipe', arguments: {} }] })
    const turn = await file('wipe.json', shapes.anthropic(calls))
    const { code, stdout } = await start(['--turn', turn, '--config', config, '--json'])
    const { results } = JSON.parse(stdout) as { results: object[] }
    expect(results).toMatchObject([{ status: 'denied', error: { code: 'approval_denied' } }])
    expect(code).toBe(1)
  })

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

  it('exits 1 when a call of the turn is not ok', async () => {
    const turn = await file(
      'unknown.json',
      shapes['openai-chat'](JSON.stringify({ calls: [{ name: 'nothing', arguments: {} }] })),
    )
    const { code, stdout } = await start(['--turn', turn])
    expect(stdout).toContain('tool_not_found')
    expect(code).toBe(1)
  })
})

/** A few lines that would become ten thousand million items. */
const manyAliases = Array.from('abcdefghij', (name, at, before = 'abcdefghij'[at - 1]) => {
  const item = before === undefined ? 'x' : `*${before}`
  return `${name}: &${name} [${Array.from({ length: 10 }, () => item).join(', ')}]\n`
}).join('')

/** One line on stderr, nothing on stdout, no stack. */
function expectOneLine({ stdout, stderr }: Ran): void {
  expect(stdout).toBe('')
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(stderr).not.toMatch(/\bat .*:\d+:\d+/)
}

describe('bad input', () => {
  it.each([
    [
      'a turn file that is not there',
      ['--turn', '/no/such/file.json'],
      4,
      /^malformed_call: .*cannot be read.*\/no\/such\/file\.json/,
    ],
    ['an unknown option', ['--what'], 2, /^usage: .*--what/],
    ['a port that is no port', ['--port', 'x'], 2, /^usage: --port is "x"/],
    ['a configuration without a turn', ['--config', 'x.yaml'], 2, /^usage: --config needs --turn/],
  ])('%s gives one line and its exit code', async (_, args, code, line) => {
    const ran = await start(args)
    expectOneLine(ran)
    expect(ran.stderr).toMatch(line)
    expect(ran.code).toBe(code)
  })

  it('a turn file that is no JSON, or of no known shape, gives one line', async () => {
    for (const content of [
      '{"role": ',
      '{"hello": "world"}',
      '[1, 2]',
      '"text"',
      '{"role":"user","content":"hi"}',
    ]) {
      const ran = await start(['--turn', await file('bad.json', content)])
      expectOneLine(ran)
      expect(ran.stderr).toMatch(/^malformed_call: /)
      expect(ran.code).toBe(4)
    }
  })

  it('a configuration that does not fit gives file, line, column and what fits', async () => {
    const turn = await file('turn.json', shapes.anthropic(twoCalls))
    for (const [content, expected] of [
      ['tools:\n  - namespace: a\n', /"name".*bad\.yaml:2:5/],
      ['mcp_server: {}\n', /bad\.yaml:1:1\) Did you mean "mcp_servers"\?/],
      [
        'mcp_servers:\n  files:\n    args: [a]\n    comand: npx\n',
        /the unknown field "comand".*bad\.yaml:4:5\) Did you mean "command"\?/,
      ],
      ['mcp_servers:\n  files: {}\n', /neither "command" nor "url".*bad\.yaml:2:10/],
      ['tools: [\n', /not YAML.*bad\.yaml:2:1/],
      ['a: 1\na: 2\n', /must be unique\. .*bad\.yaml:2:1/],
      [manyAliases, /aliases.*bad\.yaml/],
      [
        'tools:\n  - { namespace: a, name: b, description: c, parameters: {}, adapter: cli, command: "ls -la {dir}", args_template: [] }\n',
        /ls/,
      ],
    ] as const) {
      const ran = await start(['--turn', turn, '--config', await file('bad.yaml', content)])
      expectOneLine(ran)
      expect(ran.stderr).toMatch(expected)
      expect(ran.code).toBe(3)
    }
  })

  it('a dead MCP server gives one line that names it', async () => {
    const turn = await file('turn.json', shapes.anthropic(twoCalls))
    for (const command of ['/no/such/program', 'false']) {
      const config = await file('dead.yaml', `mcp_servers:\n  gone:\n    command: ${command}\n`)
      const ran = await start(['--turn', turn, '--config', config])
      expectOneLine(ran)
      expect(ran.stderr).toMatch(/^backend_unavailable: .*gone/)
      expect(ran.code).toBe(8)
    }
  })

  it('a port in use gives one line', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const ran = await start(['--port', String(port)])
    server.close()
    expectOneLine(ran)
    expect(ran.stderr).toMatch(/^backend_unavailable: .*port .*--port/)
    expect(ran.code).toBe(8)
  })

  it('a missing git gives one line', async () => {
    const ran = await start([], { ...process.env, PATH: folder })
    expectOneLine(ran)
    expect(ran.stderr).toMatch(/^backend_unavailable: git is not installed.*Install git/)
    expect(ran.code).toBe(8)
  })
})

describe('the configuration of the guide', () => {
  it('fits', async () => {
    const { readConfig } = await import('../src/config.ts')
    const { options, starts } = await readConfig(
      new URL('../../../examples/guides/tools.yaml', import.meta.url).pathname,
    )
    expect(options.tools).toMatchObject([
      { name: 'log', backend: { command: 'git' }, effects: { readOnly: true } },
    ])
    expect(options.adapters?.map(({ name }) => name)).toEqual(['cli', 'mcp', 'http'])
    expect(starts).toEqual({
      files: { shown: 'npx -y @modelcontextprotocol/server-filesystem .', limitMs: 120_000 },
      issues: { shown: 'https://issues.example.com/mcp', limitMs: 10_000 },
    })
  })
})

describe('a stop in the middle', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'by %s tells the running call, puts everything away and exits %d',
    async (signal, code) => {
      const config = await file(
        'slow.yaml',
        'tools:\n  - namespace: local\n    name: wait\n    description: Waits.\n    parameters: { type: object }\n    adapter: cli\n    command: sleep\n    args_template: ["600"]\n',
      )
      const turn = await file(
        'slow.json',
        shapes.anthropic(JSON.stringify({ calls: [{ name: 'wait', arguments: {} }] })),
      )
      const child = spawn(
        process.execPath,
        ['--conditions=@callgate/source', main, '--turn', turn, '--config', config, '--json'],
        {
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      )
      let output = ''
      child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
      const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
      await expect.poll(() => hasChild(child.pid!, 'sleep'), { timeout: 20_000 }).toBe(true)
      child.kill(signal)
      expect(await ended).toBe(code)
      expect(JSON.parse(output)).toMatchObject({ results: [{ status: 'cancelled' }] })
      expect(await hasChild(child.pid!, 'sleep')).toBe(false)
    },
  )
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

/** Whether a program runs somewhere below a process. */
async function hasChild(pid: number, program: string): Promise<boolean> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,ppid=,comm='])
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
  const below = new Set([String(pid)])
  for (let size = 0; size !== below.size;) {
    size = below.size
    for (const [child, parent] of rows) if (below.has(parent!)) below.add(child!)
  }
  return rows.some(([child, , name]) => below.has(child!) && name === program)
}
