import {
  describeFault,
  ToolError,
  toolFaults,
  type AdapterHost,
  type ToolDefinition,
  type ToolFaults,
} from '@callgate/spec'

import { checkAuth, hasSecret, secretsIn, type SecretSource } from '../auth/secrets.ts'
import { createConnection, type Connection } from '../exchange/connection.ts'
import type { Exchange } from '../exchange/perform.ts'
import type { HttpBackend } from '../operation/backend.ts'
import { blockFault } from '../operation/block-fault.ts'
import { compileOperation } from '../operation/compile.ts'
import type { Operation, Part } from '../operation/operation.ts'
import { sourcesOf } from '../operation/template.ts'
import type { Documents } from './documents.ts'
import { normaliseBlock } from './normalise.ts'
import { backendSchema } from './options-schema.ts'
import type { HttpAdapterOptions } from './options.ts'
import type { Pools } from './pools.ts'
import { mergeTargets } from './targets.ts'

/** A block that was read, and what it takes from a document. */
interface Declared {
  readonly block: HttpBackend
  readonly share: DocumentShare | undefined
  readonly operation: Operation
}

/** Knows how each tool is called; a tool is checked and taken apart once. */
export interface Toolbox {
  /** @throws InvalidToolError with the rule that the block breaks. */
  check(tool: ToolDefinition): void
  exchange(tool: ToolDefinition): Exchange
  /** The servers of the tools that were checked and are of no document. */
  origins(): readonly string[]
}

export function createToolbox(
  options: HttpAdapterOptions,
  host: AdapterHost,
  documents: Documents,
  secret: SecretSource,
  pools: Pools,
): Toolbox {
  const known = new WeakMap<object, Exchange>()
  const servers = new Map<string, string>()
  const validate = host.validator(backendSchema)
  const read = (tool: ToolDefinition, faults: ToolFaults): Declared | undefined => {
    const block = normaliseBlock(tool.backend)
    checkShape(block, validate, faults)
    const share = faults.attempt(() => ({ of: documentOf(block, documents) }))
    const parameters = new Set(declaredParameters(tool))
    const server = share === undefined ? unknownServer : share.of?.server
    const operation = compileOperation(block, parameters, server, faults)
    if (operation !== undefined) faults.attempt(() => checkCredentials(block, operation))
    if (share === undefined || operation === undefined) return undefined
    return { block, share: share.of, operation }
  }
  const own = ({ block, operation }: Declared): Connection =>
    ownConnection(options, block, operation, secret, pools)
  const compile = (tool: ToolDefinition): Exchange => {
    const faults = toolFaults(tool)
    const declared = read(tool, faults)
    faults.end()
    // Where it is undefined, something was noted.
    const whole = declared as Declared
    const { block, share, operation } = whole
    const connection = connectionOf(share, block, () => own(whole))
    return { operation, connection, limits: pools.limits, secret }
  }
  return {
    check: (tool) => {
      const faults = toolFaults(tool)
      const declared = read(tool, faults)
      if (declared !== undefined && declared.share === undefined) {
        faults.attempt(() => own(declared))
      }
      for (const missing of missingSecrets(tool, secret)) {
        faults.attempt(() => refuseSecret(missing))
      }
      faults.end()
      const target = declared?.share === undefined ? declared?.operation.target : undefined
      const id = `${tool.namespace}::${tool.name}`
      if (target?.kind === 'server') servers.set(id, target.base.origin)
      else servers.delete(id)
    },
    exchange: (tool) => {
      const found = known.get(tool.backend) ?? compile(tool)
      known.set(tool.backend, found)
      return found
    },
    origins: () => [...new Set(servers.values())],
  }
}

function declaredParameters({ parameters }: ToolDefinition): readonly string[] {
  if (typeof parameters === 'boolean') return []
  const { properties } = parameters
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
}

const keysHint = 'See the list of keys in the documentation of the adapter.'

/** What else is wrong cannot be told while the block itself is not as it should be. */
function checkShape(
  block: HttpBackend,
  validate: ReturnType<AdapterHost['validator']>,
  faults: ToolFaults,
): void {
  for (const fault of validate(block)) {
    const { message, hint = keysHint } = describeFault(fault, `backend${fault.path}`)
    faults.attempt(() => faults.refuse('backend', message, hint))
  }
  faults.end()
}

/** What a tool takes from its document; the server is not known before the document is read. */
interface DocumentShare {
  readonly server: string
  readonly connection?: Connection
}

/** What a block would say in vain beside its document. */
const ofDocument = ['url', 'auth', 'allow', 'ports', 'schemes', 'redirects'] as const

/** Stands for the server of a document that is not read yet, when a block is only checked. */
const unknownServer = 'https://document.invalid'

function documentOf(block: HttpBackend, documents: Documents): DocumentShare | undefined {
  if (block.document === undefined) return undefined
  if (!documents.has(block.document)) {
    throw blockFault(
      'document',
      `There is no document "${block.document}".`,
      'Name one of the documents of the adapter.',
    )
  }
  const own = ofDocument.find((key) => block[key] !== undefined)
  if (own !== undefined) {
    throw blockFault(
      'document',
      'A tool of a document has the server, the "auth" and the targets of the document.',
      `Remove "${own}", or remove "document".`,
    )
  }
  return documents.get(block.document) ?? { server: unknownServer }
}

function connectionOf(
  share: DocumentShare | undefined,
  block: HttpBackend,
  own: () => Connection,
): Connection {
  if (share === undefined) return own()
  if (share.connection !== undefined) return share.connection
  throw new ToolError({
    code: 'backend_unavailable',
    message: `The document "${block.document ?? ''}" is not loaded.`,
    started: 'no',
  })
}

function ownConnection(
  options: HttpAdapterOptions,
  block: HttpBackend,
  operation: Operation,
  secret: SecretSource,
  pools: Pools,
): Connection {
  if (block.auth) checkAuth(block.auth, 'backend')
  const base = operation.target.kind === 'server' ? operation.target.base : undefined
  return createConnection(mergeTargets(options, block), base, block.auth, secret, pools.forPolicy)
}

/** A secret goes to a declared origin only; where the model chooses the address there is none (D8). */
function checkCredentials(block: HttpBackend, operation: Operation): void {
  if (operation.target.kind === 'server') return
  const parts: readonly Part[] = [...operation.query, ...operation.headers, ...operation.cookies]
  const secrets = parts.some(({ value }) => sourcesOf(value).secrets.length > 0)
  const inBody = operation.body && sourcesOf(operation.body.value).secrets.length > 0
  if (block.auth === undefined && !secrets && !inBody) return
  throw blockFault(
    'auth-origin',
    'A tool whose address the model chooses cannot have credentials.',
    'Write the server out in "url".',
  )
}

/** A secret that is not there is found now, not at the first call (A1). */
function missingSecrets({ backend }: ToolDefinition, secret: SecretSource): readonly string[] {
  return secretsIn(backend).filter((name) => !hasSecret(name, secret))
}

function refuseSecret(missing: string): never {
  throw blockFault(
    'secret-missing',
    `{env:${missing}} names a secret that the gateway does not have.`,
    `Set ${missing} before the gateway starts, or remove the reference.`,
  )
}
