import { isRecord, ReferenceFault, type Located, type References } from './references.ts'

/** An operation as it stands in a document. */
export interface FoundOperation {
  readonly method: string
  readonly path: string
  readonly operationId?: string
  readonly tags: readonly string[]
  /** The Path Item Object it belongs to. */
  readonly item: Located
  readonly node: Record<string, unknown>
}

/** All operations of a document, and those that no tool can be. */
export interface OperationList {
  readonly operations: readonly FoundOperation[]
  readonly skipped: { operation: string; reason: string }[]
}

const methods = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete'] as const
/** Known to the specification, but no call that a model could make use of. */
const unusable = ['trace', 'query'] as const

/** Whether a tool is missing, by what was left out: `METHOD path`. Not where the method never is one. */
export function isMissing(left: string): boolean {
  const [method = '', path] = left.split(' ')
  return path !== undefined && !unusable.some((each) => each === method.toLowerCase())
}

/** Lists operations in the order of the document. */
export function listOperations(
  root: Record<string, unknown>,
  references: References,
): OperationList {
  const operations: FoundOperation[] = []
  const skipped: { operation: string; reason: string }[] = []
  const paths = isRecord(root['paths']) ? root['paths'] : {}
  for (const [path, value] of Object.entries(paths)) {
    if (path.startsWith('x-')) continue
    try {
      const item = references.follow({ value, file: '' })
      const node = isRecord(item.value) ? item.value : {}
      operations.push(...operationsOf(path, item, node))
      for (const method of unusable) {
        if (isRecord(node[method])) {
          skipped.push({
            operation: `${method.toUpperCase()} ${path}`,
            reason: 'the method is not supported',
          })
        }
      }
    } catch (cause) {
      if (!(cause instanceof ReferenceFault)) throw cause
      skipped.push({ operation: `* ${path}`, reason: cause.message })
    }
  }
  return { operations, skipped }
}

function operationsOf(
  path: string,
  item: Located,
  node: Record<string, unknown>,
): readonly FoundOperation[] {
  return methods.flatMap((method) => {
    const operation = node[method]
    if (!isRecord(operation)) return []
    const { operationId, tags } = operation
    return [
      {
        method: method.toUpperCase(),
        path,
        ...(typeof operationId === 'string' ? { operationId } : {}),
        tags: (Array.isArray(tags) ? (tags as unknown[]) : []).filter(
          (tag) => typeof tag === 'string',
        ),
        item,
        node: operation,
      },
    ]
  })
}
