import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { describe, expect, it } from 'vitest'

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

describe('start', () => {
  it('plays the demo and says that all is as it should be', async () => {
    const own = await mkdtemp(join(tmpdir(), 'callgate-start-'))
    const { code, stdout, stderr } = await start([], { ...process.env, TMPDIR: own })
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
    const left = await readdir(own)
    expect(left.filter((name) => name.startsWith('callgate-demo'))).toEqual([])
    await rm(own, { recursive: true })
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

  it('lets no text of a tool or a message steer the terminal', async () => {
    const config = await file(
      'steers.yaml',
      String.raw`tools:
  - namespace: local
    name: say
    description: Says.
    parameters: { type: object }
    adapter: cli
    command: printf
    args_template: ['\033]52;c;aGk=\007\033[2Jhello\rgone \302\233 \342\200\256']
`,
    )
    const turn = await file('steers.json', {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: 'toolu_1', name: 'say', input: {} },
        { type: 'tool_use', id: 'toolu_2', name: 'x\u001B[2Jy\nz', input: {} },
      ],
    })
    const args = ['--turn', turn, '--config', config]
    const [shown, asJson] = [await start(args), await start([...args, '--json'])]
    for (const { stdout, stderr } of [shown, asJson]) {
      // oxlint-disable-next-line no-control-regex -- these are looked for
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001F\u007F-\u009F\u202E]/)
    }
    expect(shown.stdout).toContain(String.raw`\u001b]52;c;aGk=\u0007\u001b[2Jhello gone \u009b`)
    expect(shown.stdout).toContain(String.raw`toolu_2  x\u001b[2Jy z`)
    const { results } = JSON.parse(asJson.stdout) as { results: { data: unknown }[] }
    expect(results[0]!.data).toMatchObject({
      stdout: '\u001B]52;c;aGk=\u0007\u001B[2Jhello\rgone \u009B \u202E',
    })
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

  it('shows no entry of a batch that cannot be read as if it were called', async () => {
    const calls = JSON.stringify({ calls: [{ name: 'git__log', arguments: {} }, 5] })
    const turn = await file('unread.json', shapes.anthropic(calls))
    const { code, stdout } = await start(['--turn', turn])
    expect(stdout).toMatch(/1 tool call → 1 call\n +\S+ +tool_call cannot be read\n/)
    expect(code).toBe(1)
  })

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

const echoTool =
  '{ namespace: a, name: b, description: c, parameters: { type: object }, adapter: cli, command: echo, args_template: [] }'

describe('bad input', () => {
  it.each([
    [
      'a turn file that is not there',
      ['--turn', '/no/such/file.json'],
      4,
      /^malformed_call: .*cannot be read.*\/no\/such\/file\.json/,
    ],
    ['an unknown option', ['--what'], 2, /^usage: .*--what/],
    [
      'a command that nobody knows',
      ['repare'],
      2,
      /no command "repare"\. Did you mean repair\? See/,
    ],
    [
      'a file alone',
      ['turn.json'],
      2,
      /no command "turn\.json"\. Did you mean --turn turn\.json\?/,
    ],
    ['an option without its value', ['--turn'], 2, /^usage: [^]*[^.]\. See --help\.$/m],
    ['a port that is no port', ['--port', 'x'], 2, /^usage: --port is "x"/],
    ['a port that is empty', ['--port', ''], 2, /^usage: --port is ""/],
    ['a configuration without a turn', ['--config', 'x.yaml'], 2, /^usage: --config needs --turn/],
  ])('%s gives one line and its exit code', async (_, args, code, line) => {
    const ran = await start(args)
    expectOneLine(ran)
    expect(ran.stderr).toMatch(line)
    expect(ran.code).toBe(code)
  })

  it('help is given whatever else is asked for', async () => {
    const { code, stdout } = await start(['--config', 'x.yaml', '--port', 'x', '--help'])
    expect(stdout).toMatch(/^Usage: start /)
    expect(code).toBe(0)
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

  it.each<readonly [string, RegExp]>([
    ['tools:\n  - namespace: a\n', /"name".*bad\.yaml:2:5/],
    ['mcp_server: {}\n', /bad\.yaml:1:1\) Did you mean "mcp_servers"\?/],
    [
      'mcp_servers:\n  files:\n    args: [a]\n    comand: npx\n',
      /the unknown field "comand".*bad\.yaml:4:5\) Did you mean "command"\?/,
    ],
    ['mcp_servers:\n  files: {}\n', /none of "command", "url" and "socket".*bad\.yaml:2:10/],
    [
      'mcp_servers:\n  files:\n    transport: http\n    command: x\n',
      /the transport "http" and no "url".*bad\.yaml:3:5/,
    ],
    [
      'mcp_servers:\n  files:\n    command: x\n    timeout: 3\n    timeout_seconds: 4\n',
      /timeout and timeout_seconds, which differ.*bad\.yaml:4:14/,
    ],
    [
      'mcp_servers: {e: {command: npx, args: -y foo}}\n',
      /"args" is "-y foo"\. .*bad\.yaml:1:39\) Give a list of texts/,
    ],
    [
      'mcp_servers:\n  e:\n    command: x\n    debug: "true"\n',
      /"debug" is "true".*bad\.yaml:4:12/,
    ],
    ['mcp_servers:\n  e:\n    command: x\n    timeout: "3"\n', /"timeout" is "3".*bad\.yaml:4:14/],
    [
      'mcp_servers:\n  e:\n    url: not a url\n',
      /"not a url", which is no http or https address\. \(.*bad\.yaml:3:10\)/,
    ],
    ['mcp_servers:\n  "e f": { command: x }\n', /"e f".*bad\.yaml:2:3/],
    ['tools:\n  say: {}\n', /tools is a list, not a map\. \(.*bad\.yaml:2:3\)/],
    [
      'mcp_servers:\n  slow: { command: sleep, args: ["600"] }\n  e:\n    url: http://127.0.0.1:1/\n    headers: { a: "Bearer {env:NOT_SET_ANYWHERE}" }\n',
      /needs the secret NOT_SET_ANYWHERE\. \(.*bad\.yaml:5:19\) Set NOT_SET_ANYWHERE\.$/m,
    ],
    [
      'mcp_servers:\n  slow: { command: sleep, args: ["600"] }\nopenapi:\n  a:\n    document: ./nope.json\n',
      /nope\.json cannot be read: there is no such file\. \(.*bad\.yaml:5:15\)/,
    ],
    [
      'openapi:\n  ok: { document: x.json }\n  a/b:\n    document: x.json\n',
      /"a\/b"; .*bad\.yaml:4:5\)/,
    ],
    ['openapi:\n  a:\n    document: http://\n', /cannot be read: http:.*bad\.yaml:3:5\)/],
    [
      'openapi:\n  a:\n    document: x.json\n    allow: ["***"]\n',
      /"\*\*\*" is not a host name.*bad\.yaml\)/,
    ],
    [`tools:\n  - ${echoTool}\n  - ${echoTool}\n`, /both a::b\. \(.*bad\.yaml:3:5\)/],
    [
      `tools:\n  - ${echoTool.replace('command', 'working_dir: /no/such, command')}\n`,
      /not a folder\. \(.*bad\.yaml:2:5\)/,
    ],
    [
      `tools:\n  - ${echoTool.replace('object', 'nonsense')}\n`,
      /"nonsense" is no type\. \(.*bad\.yaml:2:5\)/,
    ],
    [
      'mcp_servers:\n  "12":\n    command: x\n    env:\n      a/b: "{env:NOT_SET_ANYWHERE}"\n',
      /NOT_SET_ANYWHERE\. \(.*bad\.yaml:5:12\)/,
    ],
    ['tools: [\n', /not YAML.*bad\.yaml:2:1/],
    ['a: 1\na: 2\n', /must be unique\. .*bad\.yaml:2:1/],
    [manyAliases, /aliases.*bad\.yaml/],
    [
      'tools:\n  - { namespace: a, name: b, description: c, parameters: {}, adapter: cli, command: "ls -la {dir}", args_template: [] }\n',
      /ls/,
    ],
  ])('the configuration %j gives file, line, column and what fits', async (content, expected) => {
    const turn = await file('turn.json', shapes.anthropic(twoCalls))
    const ran = await start(['--turn', turn, '--config', await file('bad.yaml', content)])
    expectOneLine(ran)
    expect(ran.stderr).toMatch(expected)
    expect(ran.stderr).not.toContain('..')
    expect(ran.code).toBe(3)
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

describe('a block of mcp_servers', () => {
  it('may name its transport and its time out', async () => {
    const { readConfig } = await import('../src/config.ts')
    const path = await file(
      'servers.yaml',
      'mcp_servers:\n  repo_helper:\n    transport: stdio\n    command: node\n    args: [server.js]\n    timeout_seconds: 120\n  orders:\n    transport: http\n    url: https://internal.example/order-mcp\n    timeout: 30\n',
    )
    expect((await readConfig(path)).mcp?.starts).toEqual({
      repo_helper: { shown: 'node server.js', limitMs: 120_000 },
      orders: { shown: 'https://internal.example/order-mcp', limitMs: 30_000 },
    })
  })
})

describe('the configuration of the guide', () => {
  it('fits', async () => {
    const { readConfig } = await import('../src/config.ts')
    const { options, mcp } = await readConfig(
      new URL('../../../examples/guides/tools.yaml', import.meta.url).pathname,
    )
    expect(options.tools).toMatchObject([
      { name: 'log', backend: { command: 'git' }, effects: { readOnly: true } },
    ])
    expect(options.adapters?.map(({ name }) => name)).toEqual(['cli', 'mcp', 'http'])
    expect(mcp?.starts).toEqual({
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
