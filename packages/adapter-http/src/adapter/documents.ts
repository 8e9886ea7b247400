import { InvalidOptionsError, type Logger } from '@callgate/spec'

import { checkAuth, hasSecret, secretsIn, type SecretSource } from '../auth/secrets.ts'
import { fetchDocument, isAddress } from '../document/fetch.ts'
import { loadOpenApi, type LoadedOpenApi } from '../document/load.ts'
import { checkDocumentName } from '../document/names.ts'
import { isMissing } from '../document/operations.ts'
import { readDocument } from '../document/read.ts'
import { checkVersion } from '../document/version.ts'
import { createConnection, type Connection, type PoolSource } from '../exchange/connection.ts'
import type { Wire } from '../exchange/send.ts'
import { targetPolicy } from '../guard/policy.ts'
import type { HttpAdapterOptions, OpenApiDocument } from './options.ts'
import { mergeTargets } from './targets.ts'

/** A document whose tools are known. */
interface OpenDocument extends LoadedOpenApi {
  readonly connection: Connection
}

/** The documents of an adapter. */
export interface Documents {
  /** Reads or fetches them, once. @throws CallgateError that says which file and where. */
  load(signal: AbortSignal): Promise<readonly OpenDocument[]>
  /** A document that was loaded, by its name. */
  get(name: string): OpenDocument | undefined
  has(name: string): boolean
  /** The servers of what was loaded. */
  origins(): readonly string[]
  /** What was loaded and lacks operations, with the reason of the first. */
  troubles(): readonly string[]
}

/**
 * Checks the options of the documents; nothing is read yet.
 *
 * @throws InvalidOptionsError: `document-name`, `document-address`, `external-files`, `secret-literal`, `allow-entry`.
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
  const open = async (document: OpenApiDocument, signal: AbortSignal): Promise<OpenDocument> => {
    checkSecrets(document, secret)
    const targets = mergeTargets(options, document)
    const result = await loadOne(document, (address) => {
      const policy = targetPolicy(targets, new URL(address))
      return { pool: pools(policy), policy, signal }
    })
    report(document, result, log)
    const base = new URL(result.server)
    const connection = createConnection(targets, base, document.auth, secret, pools)
    loaded.set(document.name, { ...result, connection })
    return { ...result, connection }
  }
  return {
    load: (signal) => {
      loading ??= Promise.all(settings.map((each) => open(each, signal))).catch((cause) => {
        // A file that is mended can be read by the next attempt.
        loading = undefined
        throw cause
      })
      return loading
    },
    get: (name) => loaded.get(name),
    has: (name) => settings.some((document) => document.name === name),
    origins: () => [...new Set([...loaded.values()].map(({ server }) => new URL(server).origin))],
    troubles: () => [...loaded].flatMap(([name, { skipped }]) => troubleOf(name, skipped)),
  }
}

async function loadOne(
  document: OpenApiDocument,
  wireTo: (address: string) => Wire,
): Promise<LoadedOpenApi> {
  const source = document.document
  if (typeof source !== 'string') return loadOpenApi(source, document)
  if (!isAddress(source)) {
    const { root, files } = await readDocument(
      source,
      document.externalFiles === true,
      checkVersion,
    )
    return loadOpenApi(root, document, files)
  }
  const root = await fetchDocument(source, wireTo(source))
  const loaded = loadOpenApi(root, document, new Map(), source)
  checkOwnServer(document, source, loaded.server)
  return loaded
}

/**
 * A document that was fetched may not say who gets the credentials (D8): that is for the operator, unless the server is
 * the one that the document came from.
 */
function checkOwnServer(
  { name, auth, headers, server }: OpenApiDocument,
  address: string,
  found: string,
): void {
  if (server !== undefined || (auth === undefined && headers === undefined)) return
  const { origin } = new URL(found)
  if (origin === new URL(address).origin) return
  throw new InvalidOptionsError({
    rule: 'server-url',
    where: name,
    message: `The document "${name}", fetched from ${address}, names the server ${origin}, which would get your credentials.`,
    hint: `Set "server" of this document, such as "${found}", if it may have them.`,
  })
}

function troubleOf(name: string, skipped: LoadedOpenApi['skipped']): readonly string[] {
  const missing = skipped.filter(({ operation }) => isMissing(operation))
  const [first] = missing
  if (first === undefined) return []
  const { operation, reason } = first
  const more = missing.length === 1 ? '' : `, and ${missing.length - 1} more`
  return [`OpenAPI document "${name}": ${operation} is no tool: ${reason}${more}`]
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
  for (const { name, auth, document, externalFiles } of documents) {
    checkDocumentName(name)
    if (names.has(name)) {
      throw new InvalidOptionsError({
        rule: 'document-name',
        where: name,
        message: `Two documents are named "${name}".`,
        hint: 'Give one of them another name.',
      })
    }
    if (typeof document === 'string' && isAddress(document))
      checkAddress(name, document, externalFiles)
    names.add(name)
    if (auth) checkAuth(auth, name)
  }
}

function checkAddress(name: string, address: string, externalFiles: boolean | undefined): void {
  if (!URL.canParse(address)) {
    throw new InvalidOptionsError({
      rule: 'document-address',
      where: name,
      message: `The document "${name}" has an address that cannot be read: ${address}`,
      hint: 'Write it whole, such as "https://api.example.com/openapi.json".',
    })
  }
  if (externalFiles === true) {
    throw new InvalidOptionsError({
      rule: 'external-files',
      where: name,
      message: `The document "${name}" is fetched, so there are no files beside it.`,
      hint: 'Remove "externalFiles", or give the document as a file.',
    })
  }
}
