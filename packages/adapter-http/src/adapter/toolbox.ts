import { InvalidToolError, type AdapterHost, type ToolDefinition } from '@callgate/spec'

import { checkAuth, type SecretSource } from '../auth/secrets.ts'
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

/** Knows how each tool is called; a tool is checked and taken apart once. */
export interface Toolbox {
  /** @throws InvalidToolError with the rule that the block breaks. */
  check(tool: ToolDefinition): void
  exchange(tool: ToolDefinition): Exchange
}

export function createToolbox(
  options: HttpAdapterOptions,
  host: AdapterHost,
  documents: Documents,
  secret: SecretSource,
  pools: Pools,
): Toolbox {
  const known = new WeakMap<object, Exchange>()
  const validate = host.validator(backendSchema)
  const compile = (tool: ToolDefinition): Exchange => {
    const block = normaliseBlock(tool.backend)
    checkShape(block, validate)
    const document = documentOf(block, documents)
    const declared = new Set(declaredParameters(tool))
    const operation = compileOperation(block, declared, document?.server)
    checkCredentials(block, operation)
    const connection =
      document?.connection ?? ownConnection(options, block, operation, secret, pools)
    return { operation, connection, limits: pools.limits, secret }
  }
  return {
    check: (tool) => {
      const id = `${tool.namespace}::${tool.name}`
      try {
        compile(tool)
      } catch (cause) {
        throw located(cause, id)
      }
    },
    exchange: (tool) => {
      const found = known.get(tool.backend) ?? compile(tool)
      known.set(tool.backend, found)
      return found
    },
  }
}

function declaredParameters({ parameters }: ToolDefinition): readonly string[] {
  if (typeof parameters === 'boolean') return []
  const { properties } = parameters
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
}

function checkShape(block: HttpBackend, validate: ReturnType<AdapterHost['validator']>): void {
  const [fault] = validate(block)
  if (fault === undefined) return
  throw blockFault(
    'backend',
    `backend${fault.path} is ${fault.got}; expected ${fault.expected}.`,
    fault.suggestion,
  )
}

function documentOf(
  block: HttpBackend,
  documents: Documents,
): { readonly server?: string; readonly connection: Connection } | undefined {
  if (block.document === undefined) return undefined
  if (!documents.has(block.document)) {
    throw blockFault('document', `There is no document "${block.document}".`)
  }
  if (block.auth !== undefined || block.url !== undefined) {
    throw blockFault(
      'document',
      'A tool of a document has the server and the "auth" of the document.',
    )
  }
  return documents.get(block.document)
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

function located(cause: unknown, id: string): unknown {
  if (!InvalidToolError.isInstance(cause)) return cause
  return new InvalidToolError({
    message: cause.message,
    where: id,
    ...(cause.rule === undefined ? {} : { rule: cause.rule }),
    ...(cause.hint === undefined ? {} : { hint: cause.hint }),
    cause,
  })
}
