import { InvalidOptionsError } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import {
  fileTokenStore,
  filePinStore,
  fileToolCache,
  mcpAdapter,
  memoryTokenStore,
  type McpServer,
  serversFromConfig,
} from '../src/index.ts'
import { fake, withFake } from './fake.ts'
import { create, start } from './host.ts'

const authorize = (): void => undefined
const url = 'https://mcp.example.test/mcp'

/** What is said of options that are refused. */
function refused(run: () => unknown): { rule: string | undefined; where: string | undefined } {
  try {
    run()
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidOptionsError)
    const { rule, where, hint, message } = error as InvalidOptionsError
    expect(hint).toBeTruthy()
    expect(message).toBeTruthy()
    return { rule, where }
  }
  throw new Error('not refused')
}

const refusedServer = (server: object) =>
  refused(() => create({ servers: { s: server as McpServer } }))

describe('the options of a server', () => {
  it.each([
    [{}, 'mcp-server-kind', '/servers/s'],
    [{ command: 'x', url }, 'mcp-server-kind', '/servers/s'],
    [{ command: 'x', socket: '/s' }, 'mcp-server-kind', '/servers/s'],
    [{ url, args: ['a'] }, 'mcp-field-of-other-kind', '/servers/s/args'],
    [{ url, env: { A: '1' } }, 'mcp-field-of-other-kind', '/servers/s/env'],
    [{ url, restart: {} }, 'mcp-field-of-other-kind', '/servers/s/restart'],
    [{ command: 'x', headers: {} }, 'mcp-field-of-other-kind', '/servers/s/headers'],
    [{ command: 'x', tls: {} }, 'mcp-field-of-other-kind', '/servers/s/tls'],
    [{ socket: '/s', cwd: '/' }, 'mcp-field-of-other-kind', '/servers/s/cwd'],
    [{ command: 'x', era: 'sse' }, 'mcp-era', '/servers/s/era'],
    [{ command: 'x', lazy: true }, 'mcp-lazy', '/servers/s/lazy'],
    [{ client: {} }, 'mcp-functions', '/servers/s/client'],
    [{ client: null }, 'mcp-functions', '/servers/s/client'],
    [{ url: 'nonsense' }, 'mcp-url', '/servers/s/url'],
    [{ url: 'ftp://host/mcp' }, 'mcp-url', '/servers/s/url'],
    [{ url, headers: 'x' }, 'mcp-headers', '/servers/s/headers'],
    [{ url, headers: { a: 1 } }, 'mcp-headers', '/servers/s/headers/a'],
    [{ command: 'x', timeoutMs: 10, totalTimeoutMs: 5 }, 'mcp-limits', '/servers/s/totalTimeoutMs'],
    [
      { command: 'x', totalTimeoutMs: 50, tools: { t: { timeoutMs: 100 } } },
      'mcp-limits',
      '/servers/s/tools/t/totalTimeoutMs',
    ],
    [{ url, auth: { kind: 'basic' } }, 'mcp-auth', '/servers/s/auth/kind'],
    [{ url, auth: { kind: 'oauth' } }, 'mcp-auth', '/servers/s/auth'],
    [{ url, auth: { kind: 'oauth', authorize: 'x' } }, 'mcp-auth', '/servers/s/auth/authorize'],
    [
      { url, auth: { kind: 'oauth', authorize, clientSecret: 'x' } },
      'mcp-auth',
      '/servers/s/auth/clientSecret',
    ],
    [
      { url, auth: { kind: 'oauth', authorize, redirectUrl: 'https://evil.test/' } },
      'mcp-auth',
      '/servers/s/auth/redirectUrl',
    ],
    [
      { url, auth: { kind: 'oauth', authorize, store: {} } },
      'mcp-functions',
      '/servers/s/auth/store',
    ],
    [
      { url, auth: { kind: 'oauth', authorize, scopes: 'x' } },
      'mcp-auth',
      '/servers/s/auth/scopes',
    ],
    [{ url, auth: { kind: 'client-credentials', clientId: 'a' } }, 'mcp-auth', '/servers/s/auth'],
    [
      {
        url,
        auth: { kind: 'client-credentials', clientId: 'a', clientSecret: 'b', privateKey: 'c' },
      },
      'mcp-auth',
      '/servers/s/auth',
    ],
    [
      {
        url,
        auth: { kind: 'client-credentials', clientId: 'a', clientSecret: 'b', algorithm: 'ES256' },
      },
      'mcp-auth',
      '/servers/s/auth/algorithm',
    ],
    [
      { url, auth: { kind: 'provider', provider: {} } },
      'mcp-functions',
      '/servers/s/auth/provider',
    ],
  ])('%j are refused at set-up by %s', (server, rule, where) => {
    expect(refusedServer(server)).toEqual({ rule, where })
  })

  it('may leave a field undefined', async () => {
    const server = { ...fake('plain'), url: undefined } as unknown as McpServer
    const running = await start({ servers: { s: server } })
    expect((await running.call('s.echo')).data).toBe('echo')
    await running.adapter.stop?.({ graceMs: 100 })
  })

  it('may hold placeholders in an address', () => {
    expect(() => create({ servers: { s: { url: '{env:BASE}/mcp' } } })).not.toThrow()
    expect(() => create({ servers: { s: { url: 'https://{env:HOST}/mcp' } } })).not.toThrow()
  })
})

describe('the types of the options', () => {
  it('keep out a server of two kinds', () => {
    // @ts-expect-error -- a server is reached in one way
    expect(refusedServer({ command: 'x', url } satisfies McpServer).rule).toBe('mcp-server-kind')
  })
})

describe('the options of the adapter', () => {
  const servers = {}
  it.each([
    [{ servers, elicitation: 'yes' }, 'mcp-functions', '/elicitation'],
    [{ servers, sampling: {} }, 'mcp-functions', '/sampling'],
    [{ servers, samplingLimits: {} }, 'mcp-sampling-limits', '/samplingLimits'],
    [{ servers, pins: { store: {} } }, 'mcp-functions', '/pins/store'],
    [{ servers, toolCache: {} }, 'mcp-functions', '/toolCache'],
    [{ servers, toolCache: 'file.json' }, 'mcp-functions', '/toolCache'],
  ])('%j are refused at set-up by %s', (options, rule, where) => {
    expect(refused(() => create(options as never))).toEqual({ rule, where })
  })

  it.each([[undefined], [null], ['npx server'], [[]]])('%j are none, which is said', (options) => {
    expect(refused(() => mcpAdapter(options as never)).rule).toBe('adapter-options')
  })
})

describe('a store', () => {
  it.each([
    ['fileTokenStore', fileTokenStore],
    ['fileToolCache', fileToolCache],
    ['filePinStore', filePinStore],
  ] as const)('%s needs a path', (name, factory) => {
    for (const path of [undefined, '', 7]) {
      expect(refused(() => factory(path as never))).toEqual({ rule: 'mcp-path', where: name })
    }
  })

  it('in memory needs nothing', () => {
    expect(memoryTokenStore()).toBeDefined()
  })
})

describe('a block of mcp_servers', () => {
  it('of a program becomes a server over stdio', () => {
    const block = {
      repo_helper: {
        transport: 'stdio',
        command: 'node',
        args: ['/opt/repo-helper/mcp-server/index.js'],
        env: { REPO_TOKEN: '{env:REPO_TOKEN}' },
        timeout_seconds: 120,
        debug: true,
      },
    }
    expect(serversFromConfig(block)).toEqual({
      repo_helper: {
        command: 'node',
        args: ['/opt/repo-helper/mcp-server/index.js'],
        env: { REPO_TOKEN: '{env:REPO_TOKEN}' },
        timeoutMs: 120_000,
        debug: true,
      },
    })
  })

  it('of an address becomes a server over HTTP, or over HTTP+SSE where that is said', () => {
    const headers = { Authorization: 'Bearer {env:ORDERS}' }
    expect(
      serversFromConfig({
        orders: {
          transport: 'http',
          url: 'http://internal.example/order-mcp',
          headers,
          timeout: 30,
        },
        old: { transport: 'sse', url },
        near: { url, plain_http: true },
        bare: { url },
      }),
    ).toEqual({
      orders: { url: 'http://internal.example/order-mcp', headers, timeoutMs: 30_000 },
      old: { url, era: 'sse' },
      near: { url, plainHttp: true },
      bare: { url },
    })
  })

  it.each([
    [[], '/mcp_servers'],
    [{ s: 'npx server' }, '/mcp_servers/s'],
    [{ s: {} }, '/mcp_servers/s'],
    [{ s: { command: 'a', url } }, '/mcp_servers/s'],
    [{ s: { transport: 'http', command: 'a' } }, '/mcp_servers/s'],
    [{ s: { transport: 'stdio', url } }, '/mcp_servers/s'],
    [{ s: { transport: 'carrier-pigeon', url } }, '/mcp_servers/s/transport'],
    [{ s: { command: 'a', tiemout: 3 } }, '/mcp_servers/s/tiemout'],
    [{ s: { command: 'a', timeout: '30s' } }, '/mcp_servers/s/timeout'],
    [{ s: { command: 'a', timeout: 0 } }, '/mcp_servers/s/timeout'],
    [{ s: { command: 'a', timeout: 3, timeout_seconds: 4 } }, '/mcp_servers/s/timeout'],
    [{ s: { command: 'a', args: 'b c' } }, '/mcp_servers/s/args'],
    [{ s: { command: 'a', env: { A: 1 } } }, '/mcp_servers/s/env'],
  ])('%j is refused with its place', (block, where) => {
    expect(refused(() => serversFromConfig(block))).toEqual({ rule: 'mcp-servers-config', where })
  })
})

describe('the limits of one tool', () => {
  it('win over those of its server', async () => {
    const running = await withFake('plain', {
      timeoutMs: 60_000,
      tools: { hang: { timeoutMs: 100 } },
    })
    await expect(running.call('s.hang')).rejects.toMatchObject({
      rule: 'idle-timeout',
      message: expect.stringContaining('100 ms') as string,
    })
  })

  it('are what the gateway waits for', async () => {
    const set = { totalTimeoutMs: 2000, humanTimeoutMs: 1000, timeoutMs: 500, deferred: false }
    const running = await withFake('plain', { tools: { echo: set } })
    const tools = await running.tools()
    const shown = Object.fromEntries(tools.map((tool) => [tool.name, tool]))
    expect(shown['echo']).toMatchObject({ timeoutMs: 3000, deferred: false })
    expect(shown['hang']).toMatchObject({ timeoutMs: 900_000 })
    expect(shown['hang']).not.toHaveProperty('deferred')
  })

  it('may be what happens to a result that does not fit', async () => {
    const running = await withFake('structured', { tools: { mismatch: { outputMismatch: 'off' } } })
    expect((await running.call('s.mismatch')).metadata).toBeUndefined()
  })
})

describe('tools that are allowed', () => {
  it('are all that is offered and called', async () => {
    const running = await withFake('plain', { allow: ['echo', 's*n'] })
    expect((await running.tools()).map(({ name }) => name)).toEqual(['echo', 'seen'])
    await expect(running.call('s.die')).rejects.toMatchObject({
      code: 'tool_not_found',
      started: 'no',
    })
  })
})
