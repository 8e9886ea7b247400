import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'

import { httpAdapter, type HttpNetwork } from '@callgate/adapter-http'
import { createGateway } from '@callgate/core'
import type { JsonSchema, ToolDefinition } from '@callgate/spec'

import type { AttackVector } from './attacks.ts'
import { judgeRefusal, refusedAtLoad, refusedCall, type Refusal } from './refusal.ts'

/** The declaration of an HTTP tool in the words of the vectors. */
export interface HttpAttackTool {
  readonly mode: 'url-param' | 'openapi'
  readonly schemes?: readonly string[]
  readonly ports?: readonly number[]
  readonly redirects?: { readonly max: number }
  readonly dns_stub?: {
    readonly [name: string]: readonly string[] | readonly (readonly string[])[]
  }
  readonly redirect_stub?: readonly string[]
  readonly base_url?: string
  readonly method?: string
  readonly path?: string
  readonly parameters?: readonly AttackParameter[]
  readonly servers_in_document?: readonly string[]
  readonly server_variable_from_model?: boolean
  readonly auth?: { readonly [word: string]: string }
  readonly body?: string
  readonly schema?: JsonSchema
  readonly fields?: { readonly [name: string]: string }
}

interface AttackParameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly style?: string
  readonly explode?: boolean
  readonly schema?: JsonSchema
}

interface Recorded {
  readonly url: string
  readonly headers: string
  readonly body: string
}

/** A server on loopback that takes the place of every other: it answers the chain of redirects, then 200. */
interface Recorder {
  readonly requests: Recorded[]
  readonly dialled: string[]
  readonly network: HttpNetwork
  close(): Promise<void>
}

/** Runs one vector through a gateway; gives back what differs from what must be. */
export async function runHttpAttack(
  vector: AttackVector & { readonly tool: HttpAttackTool },
): Promise<readonly string[]> {
  const recorder = await startRecorder(vector.tool)
  const gateway = createGateway({
    adapters: [httpAdapter({ network: recorder.network })],
    secrets: () => 'token-0123456789',
  })
  try {
    await gateway.start()
    const refused = refusedAtLoad(() => gateway.registry.add(toolOf(vector)))
    if (refused !== undefined) return refusal(vector, refused, recorder)
    const result = await gateway.dispatch({
      name: 'http::attack::tool',
      arguments: vector.raw_json ?? vector.input,
    })
    return result.status === 'ok'
      ? sent(vector, recorder)
      : refusal(vector, refusedCall(result), recorder)
  } finally {
    await gateway.close()
    await recorder.close()
  }
}

function refusal(
  vector: AttackVector,
  refused: Refusal,
  { requests }: Recorder,
): readonly string[] {
  // Only a redirect is refused after something was sent.
  const hasSent = requests.length > 0 && refused.rule !== 'redirect'
  return [...judgeRefusal(vector, refused), ...(hasSent ? ['something was sent'] : [])]
}

function sent(vector: AttackVector, { requests, dialled }: Recorder): readonly string[] {
  const last = requests.at(-1)
  if (last === undefined) return ['nothing was sent']
  const [path = '', query = ''] = last.url.split('?')
  if (vector.must === 'refuse') {
    const encoded =
      vector.also_ok === 'encoded' && !/admin=1|^X: y/im.test(last.headers + last.body)
    return encoded ? [] : ['was not refused']
  }
  return [
    ...differs('path', vector.expect_path, path),
    ...differs('query', pairs(vector.expect_query), pairs(query)),
    ...differs('body', pairs(vector.expect_body), pairs(last.body)),
    ...differs('dialled', dialledBy(vector.outcome), dialled.join()),
  ]
}

function differs(what: string, expected: string | undefined, got: string | undefined): string[] {
  return expected === undefined || expected === got ? [] : [`${what} ${got} instead of ${expected}`]
}

function pairs(text: string | undefined): string | undefined {
  return text === undefined ? undefined : JSON.stringify([...new URLSearchParams(text)])
}

function dialledBy(outcome: string | undefined): string | undefined {
  return /^dials (\S+) only$/.exec(outcome ?? '')?.[1]
}

function toolOf({ tool }: { readonly tool: HttpAttackTool }): ToolDefinition {
  return {
    namespace: 'http::attack',
    name: 'tool',
    description: 'A tool under attack.',
    parameters: parametersOf(tool),
    effects: { readOnly: true },
    backend: { adapter: 'http', ...backendOf(tool) },
  }
}

function backendOf(tool: HttpAttackTool): object {
  if (tool.mode === 'url-param') {
    const { schemes, ports, redirects } = tool
    return {
      url: '{url}',
      ...(schemes ? { schemes } : {}),
      ...(ports ? { ports } : {}),
      ...(redirects ? { redirects: redirects.max } : {}),
    }
  }
  const server = tool.server_variable_from_model ? tool.servers_in_document?.[0] : tool.base_url
  return {
    baseUrl: server,
    method: tool.method ?? 'GET',
    path: tool.path,
    parameters: (tool.parameters ?? []).map(({ name, in: place, style, explode }) => ({
      name,
      in: place,
      ...(style === undefined ? {} : { style }),
      ...(explode === undefined ? {} : { explode }),
    })),
    ...(tool.auth ? { auth: tool.auth } : {}),
    ...(tool.body === undefined ? {} : { body: bodyOf(tool, tool.body) }),
  }
}

function bodyOf({ fields }: HttpAttackTool, mediaType: string): object {
  if (fields === undefined) return { mediaType, argument: 'body' }
  const names = Object.keys(fields)
  return { mediaType, content: Object.fromEntries(names.map((name) => [name, `{${name}}`])) }
}

function parametersOf(tool: HttpAttackTool): JsonSchema {
  if (tool.mode === 'url-param') {
    return {
      type: 'object',
      properties: { url: { type: 'string' } },
      required: ['url'],
      additionalProperties: false,
    }
  }
  const parameters = tool.parameters ?? []
  const fields = Object.keys(tool.fields ?? {}).map((name) => [name, {}] as const)
  const body = tool.schema === undefined ? [] : [['body', tool.schema] as const]
  return {
    type: 'object',
    properties: Object.fromEntries([
      ...parameters.map(({ name, schema }) => [name, schema ?? {}] as const),
      ...fields,
      ...body,
    ]),
    required: parameters.filter(({ required }) => required === true).map(({ name }) => name),
    additionalProperties: false,
  }
}

async function startRecorder(tool: HttpAttackTool): Promise<Recorder> {
  const requests: Recorded[] = []
  const dialled: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on('end', () => {
      requests.push({ url: request.url ?? '', headers: JSON.stringify(request.headers), body })
      const location = tool.redirect_stub?.[requests.length]
      if (location === undefined) response.end('ok')
      else response.writeHead(302, { location }).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    requests,
    dialled,
    network: {
      resolve: lookUpsOf(tool),
      connect: async ({ address }) => {
        dialled.push(address)
        return connect(port, '127.0.0.1')
      },
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Answers look-ups by the stub, a list of lists with one answer for each look-up; other names have a public address. */
function lookUpsOf({ dns_stub: stub = {} }: HttpAttackTool): (name: string) => Promise<string[]> {
  const counts = new Map<string, number>()
  return async (name) => {
    const answers = stub[name] ?? stub['*'] ?? ['93.184.216.34']
    const count = counts.get(name) ?? 0
    counts.set(name, count + 1)
    const turn = answers[Math.min(count, answers.length - 1)]
    return typeof turn === 'string' || turn === undefined ? (answers as string[]) : [...turn]
  }
}
