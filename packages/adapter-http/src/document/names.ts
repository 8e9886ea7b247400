import { createHash } from 'node:crypto'

import { InvalidOptionsError } from '@callgate/spec'

/** An operation that needs a name. */
export interface Nameable {
  readonly method: string
  readonly path: string
  readonly operationId?: string
}

/**
 * Tool names of the operations of a document, in their order (D3): from `operationId`, or method and path;
 * `[A-Za-z0-9_-]`, unique even where a client folds case or `-` and `_`, and short enough for the wire name
 * `http__<document>__<name>` to stay within 64. A name that had to be cut or that two wish for gets a hash of
 * method and path, so it does not depend on the order of the document.
 */
export function operationNames(
  operations: readonly Nameable[],
  documentName: string,
): readonly string[] {
  const limit = Math.max(16, 64 - `http__${documentName}__`.length)
  const wishes = operations.map((operation) => wish(operation))
  const counts = new Map<string, number>()
  for (const name of wishes) counts.set(folded(name), (counts.get(folded(name)) ?? 0) + 1)
  return operations.map((operation, index) => {
    const name = wishes[index] ?? ''
    const unique = counts.get(folded(name)) === 1
    if (unique && name.length <= limit) return name
    const hash = createHash('sha256')
      .update(`${operation.method} ${operation.path}`)
      .digest('hex')
      .slice(0, 8)
    return `${name.slice(0, limit - 9).replace(/[_-]+$/, '')}_${hash}`
  })
}

function wish({ operationId, method, path }: Nameable): string {
  return clean(operationId ?? '') || clean(`${method.toLowerCase()}_${clean(path)}`)
}

function clean(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]+/g, '_').replaceAll(/^[_-]+|[_-]+$/g, '')
}

function folded(name: string): string {
  return name.toLowerCase().replaceAll('-', '_')
}

/** @throws InvalidOptionsError `document-name` for what cannot stand in the ids of its tools. */
export function checkDocumentName(name: unknown): void {
  if (typeof name === 'string' && /^[A-Za-z][A-Za-z0-9_-]{0,31}$/.test(name)) return
  const shown = typeof name === 'string' ? `"${name}"` : `A ${typeof name}`
  throw new InvalidOptionsError({
    rule: 'document-name',
    where: typeof name === 'string' ? name : 'name',
    message: `${shown} cannot name a document.`,
    hint: 'Use a letter, then letters, digits, "_" or "-", at most 32 in all, each name once.',
  })
}
