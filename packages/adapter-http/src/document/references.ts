import { valueAt } from '../operation/pointer.ts'

/** A node of a document and the file it stands in ('' is the document itself). */
export interface Located {
  readonly value: unknown
  readonly file: string
}

/** A reference that was followed; `key` names its target in all files. */
interface Resolved extends Located {
  readonly key: string
}

/** A reference that leads nowhere; the operation that needs it is skipped. */
export class ReferenceFault extends Error {}

/** Follows references of one document and the files beside it. */
export interface References {
  /** @throws ReferenceFault */
  resolve(reference: string, file: string): Resolved
  /** The node itself, or what its `$ref` leads to. @throws ReferenceFault */
  follow(node: Located): Located
}

/** `files` holds the other files by their path below the document's folder, with `/`. */
export function createReferences(root: unknown, files: ReadonlyMap<string, unknown>): References {
  const resolve = (reference: string, file: string): Resolved => {
    const [path = '', pointer = ''] = reference.split('#', 2)
    const target = path === '' ? file : relativeTo(file, path)
    const document = target === '' ? root : files.get(target)
    if (document === undefined) {
      throw new ReferenceFault(`$ref "${reference}" leads out of the document`)
    }
    const value = pointed(document, pointer)
    if (value === undefined) throw new ReferenceFault(`$ref "${reference}" leads nowhere`)
    return { value, file: target, key: `${target}#${pointer}` }
  }
  const follow = (node: Located): Located => {
    let current = node
    for (let hops = 0; hops < 20; hops += 1) {
      const reference = referenceOf(current.value)
      if (reference === undefined) return current
      current = resolve(reference, current.file)
    }
    throw new ReferenceFault(`$ref "${referenceOf(node.value) ?? ''}" leads to itself`)
  }
  return { resolve, follow }
}

/** The `$ref` of a node, if it has one. */
export function referenceOf(value: unknown): string | undefined {
  const { $ref } = isRecord(value) ? value : {}
  return typeof $ref === 'string' ? $ref : undefined
}

/** A plain object of a parsed document. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A path beside another file, normalised; one that climbs out keeps its dots and is found nowhere. */
export function relativeTo(file: string, path: string): string {
  const parts = file.split('/').slice(0, -1)
  for (const part of safeDecode(path).split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (part !== '.' && part !== '') parts.push(part)
  }
  return parts.join('/')
}

/** RFC 6901 in the form that a URI fragment has: percent-encoded, beginning with `/`. */
function pointed(document: unknown, pointer: string): unknown {
  if (pointer !== '' && !pointer.startsWith('/')) return undefined
  return valueAt(document, /%[0-9a-f]{2}/i.test(pointer) ? safeDecode(pointer) : pointer)
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
