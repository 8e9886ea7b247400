import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'

import { CallgateError } from '@callgate/spec'
import { parseDocument, type YAMLParseError } from 'yaml'

import { isRecord, relativeTo } from './references.ts'

/** A document and the files that it refers to. */
export interface ReadDocument {
  readonly root: unknown
  readonly files: ReadonlyMap<string, unknown>
}

/** Bytes of the largest document. */
export const maxDocumentBytes: number = 64 * 1024 * 1024
const maxFiles = 200
const maxAliases = 1000

/**
 * Reads a document and, where asked to, the files below its folder that it refers to (D1). Nothing is fetched.
 * `check` may refuse the document before those are read.
 *
 * @throws CallgateError (`openapi-file`, `openapi-syntax`) with file, line and column.
 */
export async function readDocument(
  path: string,
  withFiles: boolean,
  check?: (root: unknown, where: string, text: string) => void,
): Promise<ReadDocument> {
  const text = await readText(path)
  const root = parseText(text, path)
  check?.(root, path, text)
  const files = new Map<string, unknown>()
  if (!withFiles) return { root, files }
  const folder = await realpath(dirname(path))
  const waiting = externalFiles(root, '')
  for (const file of waiting) {
    if (files.size >= maxFiles) throw fileFault(path, `it refers to more than ${maxFiles} files`)
    // oxlint-disable-next-line no-await-in-loop -- a file says which files come next
    const content = await readOne(await below(folder, file))
    files.set(file, content)
    // The set grows while it is walked, each file once.
    for (const next of externalFiles(content, file)) waiting.add(next)
  }
  return { root, files }
}

async function below(folder: string, file: string): Promise<string> {
  const path = await realpath(join(folder, file)).catch(() => {
    throw fileFault(file, 'the document refers to it, but it is not there')
  })
  const inside = relative(folder, path)
  if (inside === '..' || inside.startsWith(`..${sep}`) || inside.startsWith(sep)) {
    throw fileFault(file, 'it lies outside the folder of the document')
  }
  return path
}

async function readOne(path: string): Promise<unknown> {
  return parseText(await readText(path), path)
}

/**
 * Reads the text of a document, JSON or YAML; `where` names it in faults.
 *
 * @throws CallgateError (`openapi-syntax`) with line and column.
 */
export function parseText(text: string, where: string): unknown {
  return /^\s*[{[]/.test(text) ? parseJson(text, where) : parseYaml(text, where)
}

async function readText(path: string): Promise<string> {
  try {
    const { size } = await stat(path)
    if (size > maxDocumentBytes) {
      throw new Error(`it has ${size} bytes, at most ${maxDocumentBytes} are read`)
    }
    // At once, without a byte order mark: read as text it would be put together from pieces, at three times the memory.
    return new TextDecoder().decode(await readFile(path))
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw fileFault(path, code === 'ENOENT' ? 'there is no such file' : (code ?? message), cause)
  }
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // YAML in flow style begins with a brace too; where it is neither, that parser says in which line.
    return parseYaml(text, path)
  }
}

function parseYaml(text: string, path: string): unknown {
  try {
    const document = parseDocument(text, { merge: true })
    const [error] = document.errors
    if (error) throw error
    return document.toJS({ maxAliasCount: maxAliases })
  } catch (cause) {
    // Also a document that is nested too deep for the parser.
    const { message, linePos } = cause as Error & Pick<YAMLParseError, 'linePos'>
    const start = linePos?.[0]
    const where = start ? `${path}:${start.line}:${start.col}` : path
    // The place stands before it.
    const what = (message.split('\n', 1)[0] ?? '').replace(/ at line \d+, column \d+:?$/, '')
    throw syntaxFault(where, what, cause)
  }
}

/** The files that a parsed file refers to, by their path below the document's folder. */
function externalFiles(content: unknown, file: string): Set<string> {
  const found = new Set<string>()
  const nodes: unknown[] = [content]
  // An alias of YAML can be the node that it stands in.
  const seen = new Set<object>()
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (typeof node !== 'object' || node === null || seen.has(node)) continue
    seen.add(node)
    const { $ref } = isRecord(node) ? node : {}
    const path = typeof $ref === 'string' ? ($ref.split('#', 1)[0] ?? '') : ''
    if (path !== '' && !/^[a-z][a-z0-9+.-]*:|^\//i.test(path)) found.add(relativeTo(file, path))
    for (const child of Object.values(node)) if (child !== null) nodes.push(child)
  }
  return found
}

/** A document that cannot be had. */
export function fileFault(path: string, why: string, cause?: unknown): CallgateError {
  return new CallgateError({
    code: 'invalid_arguments',
    rule: 'openapi-file',
    where: path,
    message: `The OpenAPI document ${path} cannot be read: ${why}.`,
    hint: 'Check the path in "document".',
    ...(cause === undefined ? {} : { cause }),
  })
}

function syntaxFault(where: string, why: string, cause: unknown): CallgateError {
  return new CallgateError({
    code: 'invalid_arguments',
    rule: 'openapi-syntax',
    where,
    message: `The OpenAPI document cannot be parsed, ${where}: ${why}`,
    hint: 'Correct the file at this place.',
    cause,
  })
}
