import { toolFaults, type JsonSchema, type ToolDefinition, type ToolFaults } from '@callgate/spec'

import type { FileBackend } from '../backend.ts'
import type { Operation } from '../operations/operation.ts'
import { isChange, operations, permits } from '../operations/operations.ts'
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
 * @throws InvalidToolError that names every rule that is broken: backend-key, operation, root, read-only, write-only,
 * parameters, normalize-path.
 */
export function planOf(tool: ToolDefinition, roots: ReadonlyMap<string, Root>): FilePlan {
  const faults = toolFaults(tool)
  const { attempt, refuse } = faults
  const backend = tool.backend as unknown as FileBackend
  checkKeys(backend, faults)
  const operation = attempt(() => operationOf(backend, refuse))
  const root = attempt(() => rootOf(backend, roots, refuse))
  if (operation !== undefined && root !== undefined) {
    attempt(() => checkAllowed(operation, root === 'any' ? [...roots.values()] : [root], refuse))
  }
  if (operation !== undefined) checkParameters(operation, tool.parameters, faults)
  const normalize = attempt(() => normalizing(backend, refuse))
  faults.end()
  return {
    operation: operation!,
    ...(root === 'any' ? {} : { root: root! }),
    ...normalize,
  }
}

function checkKeys(backend: FileBackend, { attempt, refuse }: ToolFaults): void {
  for (const key of Object.keys(backend)) {
    if (keys.has(key)) continue
    attempt(() =>
      refuse(
        'backend-key',
        `its backend has the unknown key "${key}".`,
        `Known are ${[...keys].join(', ')}.`,
      ),
    )
  }
}

function operationOf(backend: FileBackend, refuse: Refuse): Operation {
  const known = [...operations.keys()].join(', ')
  return (
    operations.get(backend.operation) ??
    refuse('operation', `there is no operation "${backend.operation}".`, `Use one of ${known}.`)
  )
}

function rootOf(
  backend: FileBackend,
  roots: ReadonlyMap<string, Root>,
  refuse: Refuse,
): Root | 'any' {
  if (backend.root === undefined) return 'any'
  return (
    roots.get(backend.root) ??
    refuse(
      'root',
      `there is no root "${backend.root}".`,
      `Roots are ${[...roots.keys()].join(', ')}.`,
    )
  )
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
  return [...roots.values()].filter((root) => permits(root, plan.operation))
}

type Refuse = ToolFaults['refuse']

function checkAllowed(operation: Operation, roots: readonly Root[], refuse: Refuse): void {
  if (roots.some((root) => permits(root, operation))) return
  if (isChange(operation) && !roots.some(({ write }) => write)) {
    refuse(
      'read-only',
      `${operation.name} changes files, and the root is read-only.`,
      'Set write: true for the root.',
    )
  }
  refuse(
    'write-only',
    `${operation.name} shows what is in files, and the root is write-only.`,
    'Remove read: false from the root.',
  )
}

/** A tool may leave optional parameters out; what it has must be known, so that none is silently without effect. */
function checkParameters(
  operation: Operation,
  schema: JsonSchema,
  { attempt, refuse }: ToolFaults,
): void {
  const declared = propertiesOf(schema)
  const known = [...Object.keys(operation.properties), 'root']
  for (const missing of operation.required.filter((name) => !declared.includes(name))) {
    const hint = `Declare "${missing}" in its parameters.`
    attempt(() => refuse('parameters', `${operation.name} needs the parameter "${missing}".`, hint))
  }
  for (const unknown of declared.filter((name) => !known.includes(name))) {
    const hint = `It knows ${known.join(', ')}.`
    attempt(() => refuse('parameters', `${operation.name} has no parameter "${unknown}".`, hint))
  }
}

/** The names of the parameters of a tool. */
export function propertiesOf(schema: JsonSchema): readonly string[] {
  if (typeof schema === 'boolean') return []
  const properties = schema['properties']
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
}
