import { readFileSync } from 'node:fs'
import { connect } from 'node:net'

import type { ToolDefinition } from '@callgate/spec'
import { ToolError } from '@callgate/spec'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { HttpAdapterOptions, HttpParameter } from '../src/index.ts'
import { declaredTool, testAdapter } from './host.ts'
import { startServer, type TestServer } from './server.ts'

interface Vector {
  readonly id: string
  readonly tool: {
    readonly mode: 'url-param' | 'openapi'
    readonly dns_stub?: Record<string, readonly string[] | readonly (readonly string[])[]>
    readonly redirect_stub?: readonly string[]
    readonly ports?: readonly number[]
    readonly redirects?: { readonly max: number }
    readonly base_url?: string
    readonly method?: string
    readonly path?: string
    readonly parameters?: readonly HttpParameter[]
    readonly servers_in_document?: readonly string[]
    readonly server_variable_from_model?: boolean
    readonly auth?: Record<string, string>
    readonly body?: string
    readonly fields?: Record<string, string>
  }
  readonly input: Record<string, unknown>
  readonly must: 'refuse' | 'allow' | 'allow-as-literal'
  readonly also_ok?: string
  readonly rule: string
  readonly why: string
  readonly outcome?: string
  readonly expect_path?: string
  readonly expect_query?: string
  readonly expect_body?: string
}

const { vectors } = JSON.parse(
  readFileSync(new URL('fixtures/attacks.json', import.meta.url), 'utf8'),
) as { readonly vectors: readonly Vector[] }

// Rules that the gateway applies before an adapter is called: unknown arguments and types.
const byValidation = new Set(['unknown-param', 'type'])

let recorder: TestServer
let redirects: readonly string[] = []
beforeAll(async () => {
  recorder = await startServer((_, response) => {
    const location = redirects[recorder.seen.length]
    if (location === undefined) response.end('ok')
    else response.writeHead(302, { location }).end()
  })
})
afterAll(() => recorder.close())

/** No vector dials out: look-ups are answered by the stub, connections go to the recorder. */
function stubbedNetwork({ tool }: Vector, dialled: string[]): HttpAdapterOptions['network'] {
  const looked = new Map<string, number>()
  return {
    resolve: async (hostname) => {
      const answer = tool.dns_stub?.[hostname] ?? tool.dns_stub?.['*'] ?? ['93.184.216.34']
      const count = looked.get(hostname) ?? 0
      looked.set(hostname, count + 1)
      const turn = answer[Math.min(count, answer.length - 1)]
      return Array.isArray(turn) ? (turn as string[]) : (answer as string[])
    },
    connect: async ({ address }) => {
      dialled.push(address)
      return connect(recorder.port, '127.0.0.1')
    },
  }
}

function toolOf({ tool, input }: Vector): ToolDefinition {
  if (tool.mode === 'url-param') {
    return declaredTool(
      {
        url: '{url}',
        ports: tool.ports,
        redirects: tool.redirects?.max,
        schemes: ['https', 'http'],
      },
      ['url'],
    )
  }
  const fields = Object.keys(tool.fields ?? {})
  const content = Object.fromEntries(fields.map((name) => [name, `{${name}}`]))
  const body =
    tool.body === undefined
      ? {}
      : {
          body: {
            mediaType: tool.body,
            ...(fields.length > 0 ? { content } : { argument: 'body' }),
          },
        }
  const parameters = (tool.parameters ?? []).map(({ name, in: place, style, explode }) => ({
    name,
    in: place,
    ...(style === undefined ? {} : { style }),
    ...(explode === undefined ? {} : { explode }),
  }))
  return declaredTool(
    {
      baseUrl: tool.server_variable_from_model ? tool.servers_in_document?.[0] : tool.base_url,
      method: tool.method,
      path: tool.path,
      parameters,
      ...(tool.auth ? { auth: tool.auth } : {}),
      ...body,
    },
    Object.keys(input),
  )
}

async function run(vector: Vector) {
  recorder.seen.length = 0
  redirects = vector.tool.redirect_stub ?? []
  const dialled: string[] = []
  const { instance, invoke } = testAdapter(
    { network: stubbedNetwork(vector, dialled) ?? {} },
    { API_TOKEN: 'token-value' },
  )
  const tool = toolOf(vector)
  const failure = await (async () => {
    instance.accept?.(tool)
    await invoke(tool, vector.input)
  })().then(
    () => undefined,
    (cause: unknown) => cause,
  )
  return { failure, dialled }
}

/** What is wrong with the outcome of a vector; nothing where it is as it must be. */
async function faultsOf(vector: Vector): Promise<readonly string[]> {
  const { failure, dialled } = await run(vector)
  return vector.must === 'refuse'
    ? refusalFaults(vector, failure)
    : sentFaults(vector, failure, dialled)
}

function refusalFaults(vector: Vector, failure: unknown): readonly string[] {
  if (failure === undefined && vector.also_ok === 'encoded') {
    return JSON.stringify(recorder.last().headers).includes('admin=1') ? ['sent as it came'] : []
  }
  const { rule, code, started } = (failure ?? {}) as Record<string, unknown>
  const faults = [
    rule === vector.rule ? '' : `rule ${String(rule)} instead of ${vector.rule}`,
    vector.rule !== 'redirect' && recorder.seen.length > 0 ? 'something was sent' : '',
  ]
  if (ToolError.isInstance(failure)) {
    faults.push(
      code === 'guard_refused' && started === (rule === 'redirect' ? 'yes' : 'no')
        ? ''
        : `${String(code)} ${String(started)}`,
    )
  }
  return faults.filter((fault) => fault !== '')
}

function sentFaults(
  vector: Vector,
  failure: unknown,
  dialled: readonly string[],
): readonly string[] {
  if (failure !== undefined) return [(failure as Error).message]
  const { url, body } = recorder.last()
  const [path = '', query] = url.split('?')
  return [
    compare('path', vector.expect_path, path),
    compare('query', vector.expect_query && pairs(vector.expect_query), pairs(query)),
    compare('body', vector.expect_body, body.toString()),
    compare('dialled', vector.outcome && '93.184.216.34', dialled.join()),
  ].filter((fault) => fault !== '')
}

function pairs(text = ''): string {
  return JSON.stringify([...new URLSearchParams(text)])
}

function compare(what: string, expected: string | undefined, got: string): string {
  return expected === undefined || expected === got ? '' : `${what}: ${got} instead of ${expected}`
}

describe('the attack set for HTTP', () => {
  const mine = vectors.filter(({ rule }) => !byValidation.has(rule))

  it('is there', () => {
    expect(mine.length).toBeGreaterThan(60)
  })

  it.each(mine)('$id must $must: $why', async (vector) => {
    expect(await faultsOf(vector)).toEqual([])
  })
})
