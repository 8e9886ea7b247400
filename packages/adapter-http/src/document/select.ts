/** Which operations become tools: each field that is given has to fit, one of its entries is enough. */
export interface OperationFilter {
  readonly tags?: readonly string[]
  /** Paths, `*` stands for any text: `/tickets/*`. */
  readonly paths?: readonly string[]
  readonly methods?: readonly string[]
  /** `operationId` or the name of the tool. */
  readonly operations?: readonly string[]
  /** Only what reads (GET, HEAD, OPTIONS), or only what does not. */
  readonly readOnly?: boolean
}

/** What a filter looks at. */
export interface Selectable {
  readonly name: string
  readonly operationId?: string
  readonly method: string
  readonly path: string
  readonly tags: readonly string[]
  readonly readOnly: boolean
}

/** Whether an operation fits a filter. */
export function fitsFilter(filter: OperationFilter, operation: Selectable): boolean {
  const { tags, paths, methods, operations, readOnly } = filter
  return (
    (tags === undefined || operation.tags.some((tag) => tags.includes(tag))) &&
    (paths === undefined || paths.some((pattern) => glob(pattern).test(operation.path))) &&
    (methods === undefined ||
      methods.some((method) => method.toUpperCase() === operation.method)) &&
    (operations === undefined ||
      operations.includes(operation.name) ||
      operations.includes(operation.operationId ?? '')) &&
    (readOnly === undefined || readOnly === operation.readOnly)
  )
}

function glob(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`)
}
