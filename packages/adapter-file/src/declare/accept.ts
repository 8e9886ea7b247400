import { InvalidToolError, type JsonSchema, type ToolDefinition } from '@callgate/spec'

import type { FileBackend } from '../backend.ts'
import type { Operation } from '../operations/operation.ts'
import { isChange, operations } from '../operations/operations.ts'
import type { Root } from '../roots/root.ts'

/** What a tool does: an operation, in a fixed root or in the one that the call names. */
export interface FilePlan {
  readonly operation: Operation
  readonly root?: Root
  readonly normalizePath?: boolean
}

const keys: ReadonlySet<string> = new Set(['adapter', 'operation', 'root', 'normalizePath'])

/**
 * Reads the backend block of a tool (A1).
 *
 * @throws InvalidToolError that names the rule: backend-key, operation, root, read-only,
 * parameters, normalize-path.
 */
export function planOf(tool: ToolDefinition, roots: ReadonlyMap<string, Root>): FilePlan {
  const refuse = refuserOf(tool)
  const backend = tool.backend as unknown as FileBackend
  const unknown = Object.keys(backend).find((key) => !keys.has(key))
  if (unknown !== undefined) {
    refuse(
      'backend-key',
      `its backend has the unknown key "${unknown}".`,
      `Known are ${[...keys].join(', ')}.`,
    )
  }
  const operation = operations.get(backend.operation)
  if (operation === undefined) {
    const known = [...operations.keys()].join(', ')
    return refuse(
      'operation',
      `there is no operation "${backend.operation}".`,
      `Use one of ${known}.`,
    )
  }
  const root = backend.root === undefined ? undefined : roots.get(backend.root)
  if (backend.root !== undefined && root === undefined) {
    refuse(
      'root',
      `there is no root "${backend.root}".`,
      `Roots are ${[...roots.keys()].join(', ')}.`,
    )
  }
  checkWritable(operation, root === undefined ? [...roots.values()] : [root], refuse)
  checkParameters(operation, tool.parameters, refuse)
  return { operation, ...(root === undefined ? {} : { root }), ...normalizing(backend, refuse) }
}

function normalizing(
  { normalizePath }: FileBackend,
  refuse: Refuse,
): Pick<FilePlan, 'normalizePath'> {
  if (normalizePath === undefined) return {}
  if (typeof normalizePath === 'boolean') return { normalizePath }
  return refuse(
    'normalize-path',
    'its normalizePath is neither true nor false.',
    'Write true or false.',
  )
}

/** The roots in which a tool works: its own, or all that permit its operation. */
export function rootsFor(plan: FilePlan, roots: ReadonlyMap<string, Root>): readonly Root[] {
  if (plan.root !== undefined) return [plan.root]
  return [...roots.values()].filter(({ write }) => write || !isChange(plan.operation))
}

type Refuse = (rule: string, message: string, hint: string) => never

function refuserOf({ namespace, name }: ToolDefinition): Refuse {
  const where = `${namespace}::${name}`
  return (rule, message, hint) => {
    throw new InvalidToolError({ rule, where, message: `Tool "${where}": ${message}`, hint })
  }
}

function checkWritable(operation: Operation, roots: readonly Root[], refuse: Refuse): void {
  if (!isChange(operation) || roots.some(({ write }) => write)) return
  refuse(
    'read-only',
    `${operation.name} changes files, and the root is read-only.`,
    'Set write: true for the root.',
  )
}

/** A tool may leave optional parameters out; what it has must be known, so that none is silently without effect. */
function checkParameters(operation: Operation, schema: JsonSchema, refuse: Refuse): void {
  const declared = propertiesOf(schema)
  const missing = operation.required.find((name) => !declared.includes(name))
  if (missing !== undefined) {
    const hint = `Declare "${missing}" in its parameters.`
    refuse('parameters', `${operation.name} needs the parameter "${missing}".`, hint)
  }
  const known = [...Object.keys(operation.properties), 'root']
  const unknown = declared.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    const hint = `It knows ${known.join(', ')}.`
    refuse('parameters', `${operation.name} has no parameter "${unknown}".`, hint)
  }
}

/** The names of the parameters of a tool. */
export function propertiesOf(schema: JsonSchema): readonly string[] {
  if (typeof schema === 'boolean') return []
  const properties = schema['properties']
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
}
