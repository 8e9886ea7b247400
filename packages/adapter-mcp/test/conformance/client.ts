// The client that the official conformance suite drives: the adapter through its public API, nothing beside it.
// The suite gives the address of its mock as the last argument and the scenario in the environment.
import process from 'node:process'

import type { ToolDefinition } from '@callgate/spec'
import { CrossAppAccessProvider, requestJwtAuthorizationGrant } from '@modelcontextprotocol/client'

import type { HttpAuth, HttpServer } from '../../src/index.ts'
import { callOf, contextOf, type Running, start, stubHost } from '../host.ts'

const url = process.argv.at(-1) ?? ''
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? ''
const version = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'] ?? '2025-11-25'
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Record<
  string,
  string
> & {
  toolCalls?: { name: string; arguments: object }[]
}

/** A user who agrees at once: the browser's part, by hand. */
const user = {
  kind: 'oauth' as const,
  authorize: async ({ url: page }: { readonly url: URL }): Promise<void> => {
    const answer = await fetch(page, { redirect: 'manual' })
    const back = answer.headers.get('location')
    if (back !== null) await fetch(back)
  },
}

const { client_id: clientId = '', client_secret: clientSecret = '' } = context

/** Where a scenario needs more than a user who agrees. */
const special: Readonly<Record<string, () => HttpAuth>> = {
  'auth/basic-cimd': () => ({
    ...user,
    clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
  }),
  'auth/pre-registration': () => ({ ...user, clientId, clientSecret }),
  'auth/2025-03-26-oauth-metadata-backcompat': () => ({ ...user, skipIssuerValidation: true }),
  'auth/client-credentials-basic': () => ({ kind: 'client-credentials', clientId, clientSecret }),
  'auth/client-credentials-jwt': () => ({
    kind: 'client-credentials',
    clientId,
    privateKey: context['private_key_pem'] ?? '',
    algorithm: context['signing_algorithm'] ?? 'ES256',
  }),
  'auth/cross-app-access-complete-flow': () => ({ kind: 'provider', provider: enterprise() }),
  'auth/enterprise-managed-authorization': () => ({ kind: 'provider', provider: enterprise() }),
  'auth/dpop': () => ({ ...user, dpop: true }),
  'auth/dpop-nonce': () => ({ ...user, dpop: true }),
}

function authOf(): HttpAuth | undefined {
  return special[scenario]?.() ?? (scenario.startsWith('auth/') ? user : undefined)
}

function enterprise(): CrossAppAccessProvider {
  return new CrossAppAccessProvider({
    clientId: context['client_id'] ?? '',
    clientSecret: context['client_secret'] ?? '',
    assertion: async ({ authorizationServerUrl, resourceUrl, scope, fetchFn }) => {
      const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
        tokenEndpoint: context['idp_token_endpoint'] ?? '',
        audience: authorizationServerUrl,
        resource: resourceUrl,
        idToken: context['idp_id_token'] ?? '',
        clientId: context['idp_client_id'] ?? '',
        ...(scope === undefined ? {} : { scope }),
        ...(fetchFn === undefined ? {} : { fetchFn }),
      })
      return jwtAuthGrant
    },
  })
}

/** What a scenario wants done after the connection: some have words of their own for it, the others any call. */
async function act({ adapter, host }: Running, tools: readonly ToolDefinition[]): Promise<void> {
  // This one watches what is fetched for a listing; its mock refuses calls.
  if (scenario === 'json-schema-ref-no-deref') return
  const call = async (name: string, args: object): Promise<void> => {
    const tool = tools.find((each) => each.name === name)
    if (tool === undefined) throw new Error(`no tool ${name}`)
    await adapter.invoke(callOf(tool, args), contextOf(host))
  }
  for (const wanted of context.toolCalls ?? tools.map((tool) => defaultCall(tool, tools))) {
    await call(wanted.name, wanted.arguments)
  }
}

function defaultCall(
  { name }: ToolDefinition,
  tools: readonly ToolDefinition[],
): { readonly name: string; readonly arguments: object } {
  if (name === 'add_numbers') return { name, arguments: { a: 5, b: 3 } }
  if (name !== 'json_schema_echo') return { name, arguments: {} }
  return { name, arguments: { schema: tools.find((other) => other.name !== name)?.parameters } }
}

const auth = authOf()
const server: HttpServer = {
  url,
  era: version === '2026-07-28' ? 'modern' : '2025',
  connectTimeoutMs: 20_000,
  ...(auth === undefined ? {} : { auth }),
}
const host = stubHost()
const running = await start(
  {
    servers: { s: server },
    clientInfo: { name: 'callgate-conformance', version: '1.0.0' },
    startWaitMs: 25_000,
    elicitation: () => ({ action: 'accept', content: {} }),
    sampling: () => ({ model: 'none', role: 'assistant', content: { type: 'text', text: '' } }),
    roots: [{ uri: 'file:///srv/conformance' }],
  },
  host,
)
try {
  const health = await running.adapter.health?.(new AbortController().signal)
  if (health?.state !== 'ok') throw new Error(health?.reason)
  await act(running, await running.tools())
} finally {
  await running.adapter.stop?.({ graceMs: 100 })
  if (process.env['DEBUG'] !== undefined) console.error(JSON.stringify(host.lines))
}
