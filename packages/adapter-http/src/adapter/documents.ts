import { InvalidOptionsError, type Logger } from '@callgate/spec'

import { checkAuth, hasSecret, secretsIn, type SecretSource } from '../auth/secrets.ts'
import { loadOpenApi, type LoadedOpenApi } from '../document/load.ts'
import { checkDocumentName } from '../document/names.ts'
import { readDocument } from '../document/read.ts'
import { createConnection, type Connection, type PoolSource } from '../exchange/connection.ts'
import type { HttpAdapterOptions, OpenApiDocument } from './options.ts'
import { mergeTargets } from './targets.ts'

/** A document whose tools are known. */
interface OpenDocument extends LoadedOpenApi {
  readonly connection: Connection
}

/** The documents of an adapter. */
export interface Documents {
  /** Reads them, once. @throws CallgateError that says which file and where. */
  load(): Promise<readonly OpenDocument[]>
  /** A document that was loaded, by its name. */
  get(name: string): OpenDocument | undefined
  has(name: string): boolean
  /** The servers of what was loaded. */
  origins(): readonly string[]
}

/**
 * Checks the options of the documents; nothing is read yet.
 *
 * @throws InvalidOptionsError: `document-name`, `secret-literal`, `allow-entry`.
 */
export function createDocuments(
  options: HttpAdapterOptions,
  secret: SecretSource,
  pools: PoolSource,
  log: Logger,
): Documents {
  const settings = options.documents ?? []
  checkDocuments(settings)
  // Made once here, so that a bad option is found before the gateway starts.
  for (const document of settings)
    createConnection(mergeTargets(options, document), undefined, undefined, secret, pools)
  const loaded = new Map<string, OpenDocument>()
  let loading: Promise<readonly OpenDocument[]> | undefined
  const open = async (document: OpenApiDocument): Promise<OpenDocument> => {
    checkSecrets(document, secret)
    const result = await loadOne(document)
    report(document, result, log)
    const base = new URL(result.server)
    const targets = mergeTargets(options, document)
    const connection = createConnection(targets, base, document.auth, secret, pools)
    loaded.set(document.name, { ...result, connection })
    return { ...result, connection }
  }
  return {
    load: () => {
      loading ??= Promise.all(settings.map((document) => open(document))).catch((cause) => {
        // A file that is mended can be read by the next attempt.
        loading = undefined
        throw cause
      })
      return loading
    },
    get: (name) => loaded.get(name),
    has: (name) => settings.some((document) => document.name === name),
    origins: () => [...new Set([...loaded.values()].map(({ server }) => new URL(server).origin))],
  }
}

async function loadOne(document: OpenApiDocument): Promise<LoadedOpenApi> {
  if (typeof document.document !== 'string') return loadOpenApi(document.document, document)
  const { root, files } = await readDocument(document.document, document.externalFiles === true)
  return loadOpenApi(root, document, files)
}

function report(document: OpenApiDocument, result: LoadedOpenApi, log: Logger): void {
  log.info(`OpenAPI document "${document.name}": ${result.tools.length} tools`, {
    version: result.version,
    server: result.server,
    skipped: result.skipped.length,
  })
  if (document.auth === undefined && result.credentials.length > 0) {
    const needed = result.credentials.join(' or ')
    log.warn(`OpenAPI document "${document.name}" asks for ${needed}, but it has no "auth"`)
  }
  for (const { operation, reason } of result.skipped) {
    log.warn(`OpenAPI document "${document.name}": ${operation} is no tool: ${reason}`)
  }
}

function checkSecrets({ name, auth, headers }: OpenApiDocument, secret: SecretSource): void {
  const missing = secretsIn([auth, headers]).find((known) => !hasSecret(known, secret))
  if (missing === undefined) return
  throw new InvalidOptionsError({
    rule: 'secret-missing',
    where: name,
    message: `The document "${name}" needs the secret ${missing}, which the gateway does not have.`,
    hint: `Set ${missing} before the gateway starts, or remove the reference.`,
  })
}

function checkDocuments(documents: readonly OpenApiDocument[]): void {
  const names = new Set<string>()
  for (const { name, auth } of documents) {
    checkDocumentName(name)
    if (names.has(name)) {
      throw new InvalidOptionsError({
        rule: 'document-name',
        where: name,
        message: `Two documents are named "${name}".`,
        hint: 'Give one of them another name.',
      })
    }
    names.add(name)
    if (auth) checkAuth(auth, name)
  }
}
