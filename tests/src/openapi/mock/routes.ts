import type { MockOperation } from './operations.ts'

/** The operation that a request is for, and the texts of the placeholders of its path. */
export interface Route {
  readonly operation: MockOperation
  readonly placeholders: { readonly [name: string]: string }
}

/** Finds operations by method and path; of two paths that fit, the one with more fixed text. */
export function createRoutes(
  operations: readonly MockOperation[],
): (method: string, path: string) => Route | undefined {
  const known = operations
    .map((operation) => ({ operation, ...pattern(operation.path) }))
    .toSorted((one, other) => other.fixedLength - one.fixedLength)
  return (method, path) => {
    for (const { operation, expression, names } of known) {
      const found = operation.method === method ? expression.exec(path) : null
      if (found === null) continue
      const texts = names.map((name, index) => [name, decodeURIComponent(found[index + 1] ?? '')])
      return { operation, placeholders: Object.fromEntries(texts) as Route['placeholders'] }
    }
    return undefined
  }
}

function pattern(path: string): {
  readonly expression: RegExp
  readonly names: readonly string[]
  readonly fixedLength: number
} {
  const [bare = ''] = path.split(/[?#]/, 1)
  const pieces = bare.split(/\{([^{}]+)\}/)
  const escaped = pieces.map((piece, index) =>
    index % 2 === 1 ? '([^/]+)' : piece.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  )
  return {
    expression: new RegExp(`^${escaped.join('')}$`),
    names: pieces.filter((_, index) => index % 2 === 1),
    fixedLength: pieces.filter((_, index) => index % 2 === 0).join('').length,
  }
}
