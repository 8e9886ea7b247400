import {
  InvalidToolError,
  type AdapterHost,
  type Logger,
  type ToolDefinition,
} from '@callgate/spec'

import { httpAdapter } from '../adapter/adapter.ts'
import { createDocuments } from '../adapter/documents.ts'
import type { HttpAdapterOptions } from '../adapter/options.ts'
import { createPools } from '../adapter/pools.ts'
import { createToolbox, type Toolbox } from '../adapter/toolbox.ts'
import { secretsIn, secretSource } from '../auth/secrets.ts'
import type { HttpBackend } from '../operation/backend.ts'
import type { Operation } from '../operation/operation.ts'
import { sourcesOf } from '../operation/template.ts'
import { probeOperation } from './probe.ts'
import type { HttpSecurityReport, HttpToolFacts, HttpToolSecurity } from './report.ts'
import { weaknessesOf } from './weaknesses.ts'

const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

/**
 * Looks at HTTP tools as they are declared, and tries hostile values on their parameters, addresses and look-ups
 * (G1, G2, R13.1).
 *
 * Takes the options of the adapter, the tools that were declared for it (those of its documents are checked too),
 * and from the host validator and secrets. Everything goes through the guards that calls go through; no call is sent.
 * Documents are read, those that are named by an address are fetched.
 *
 * @throws InvalidOptionsError when the options do not fit, CallgateError when a document cannot be loaded.
 */
export async function securityCheck(
  options: HttpAdapterOptions,
  tools: readonly ToolDefinition[],
  host: Pick<AdapterHost, 'validator' | 'secret'>,
): Promise<HttpSecurityReport> {
  const quiet: AdapterHost = { ...host, log: silent, toolsChanged: () => undefined }
  // Refuses options as the adapter does.
  httpAdapter(options).create(quiet)
  const secret = secretSource((name) => host.secret(name))
  const pools = createPools(options)
  const documents = createDocuments(options, secret, pools.forPolicy, silent)
  const toolbox = createToolbox(options, quiet, documents, secret, pools)
  try {
    const loaded = await documents.load(new AbortController().signal)
    const all = [...loaded.flatMap((document) => completed(document.tools, options)), ...tools]
    const checked = await Promise.all(all.map((tool) => check(tool, toolbox, options)))
    const ok = checked.every(
      ({ refused, probes }) =>
        refused === undefined && probes.every(({ outcome }) => outcome !== 'hole'),
    )
    return { ok, tools: checked }
  } finally {
    await pools.close()
  }
}

/** With the namespaces that the host gives them. */
function completed(
  tools: readonly ToolDefinition[],
  { name = 'http' }: HttpAdapterOptions & { readonly name?: string },
): readonly ToolDefinition[] {
  return tools.map(({ namespace, ...tool }) => ({
    ...tool,
    namespace: namespace === name ? name : `${name}::${namespace}`,
  }))
}

async function check(
  tool: ToolDefinition,
  toolbox: Toolbox,
  options: HttpAdapterOptions,
): Promise<HttpToolSecurity> {
  const id = `${tool.namespace}::${tool.name}`
  try {
    // All that the adapter refuses when a tool is registered, such as a secret that is not there.
    toolbox.check(tool)
    const { operation, connection } = toolbox.exchange(tool)
    const { policy } = connection
    const facts = factsOf(tool, operation, policy.ports, policy.redirects, options)
    return {
      tool: id,
      facts,
      weaknesses: weaknessesOf(facts, policy, operation),
      probes: await probeOperation(operation, policy),
    }
  } catch (cause) {
    if (!InvalidToolError.isInstance(cause)) throw cause
    const { rule = '', message, hint = '' } = cause
    return { tool: id, refused: { rule, message, hint }, weaknesses: [], probes: [] }
  }
}

function factsOf(
  tool: ToolDefinition,
  operation: Operation,
  ports: readonly number[],
  redirects: number,
  options: HttpAdapterOptions,
): HttpToolFacts {
  const block = tool.backend as HttpBackend
  const document = options.documents?.find(({ name }) => name === block.document)
  const own = document ?? block
  const { query, headers, cookies, body } = operation
  const parts = [...query, ...headers, ...cookies, ...(body === undefined ? [] : [body])]
  return {
    method: operation.method,
    origin: operation.target.kind === 'server' ? operation.target.base.origin : 'any',
    allow: [...(options.allow ?? []), ...(own.allow ?? [])],
    ports,
    redirects,
    auth: kindOf(own.auth),
    secrets: [
      ...new Set([
        ...parts.flatMap(({ value }) => sourcesOf(value).secrets),
        ...secretsIn(own.auth),
      ]),
    ],
  }
}

function kindOf(auth: HttpBackend['auth']): string {
  if (auth === undefined) return 'none'
  return auth.type === 'apiKey' ? `apiKey in ${auth.in}` : auth.type
}
