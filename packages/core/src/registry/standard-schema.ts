import { InvalidToolError, type FieldFault, type JsonSchema } from '@callgate/spec'

import { isPromiseLike } from '../pipeline/maybe.ts'

/** What a Standard Schema makes of arguments: its output, or the faults. */
export type Refinement =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly errors: readonly FieldFault[] }
export type Refine = (args: unknown) => Refinement | Promise<Refinement>

interface Issue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[]
}
interface Standard {
  readonly vendor?: string
  validate(value: unknown): Checked | Promise<Checked>
  readonly jsonSchema?: { input(options: { target: string }): JsonSchema }
}
type Checked =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] }

/** The `~standard` part of a Standard Schema, if the parameters are one (specification 1.1.0). */
export function standardOf(parameters: unknown): Standard | undefined {
  const holder =
    typeof parameters === 'object' || typeof parameters === 'function' ? parameters : null
  return (holder as { '~standard'?: Standard } | null)?.['~standard']
}

/** @throws InvalidToolError when the schema cannot say what it takes as JSON Schema. */
export function toJsonSchema(standard: Standard, id: string): JsonSchema {
  try {
    const schema = standard.jsonSchema?.input({ target: 'draft-2020-12' })
    if (schema !== undefined) return schema
  } catch (cause) {
    throw refusal(standard, id, String(cause instanceof Error ? cause.message : cause), cause)
  }
  throw refusal(standard, id, 'it has no ~standard.jsonSchema')
}

function refusal(standard: Standard, id: string, why: string, cause?: unknown): InvalidToolError {
  return new InvalidToolError({
    rule: 'standard-schema',
    where: id,
    message: `The ${standard.vendor ?? 'Standard'} schema of ${id} does not convert to JSON Schema: ${why}.`,
    hint: 'Use a version of the library that has ~standard.jsonSchema, or give a JSON Schema.',
    cause,
  })
}

/** Runs the schema's own validation, which also computes what its transforms make. */
export function refineWith(standard: Standard): Refine {
  const read = (checked: Checked): Refinement =>
    checked.issues === undefined
      ? { ok: true, value: checked.value }
      : { ok: false, errors: checked.issues.map(toFault) }
  return (args) => {
    const checked = standard.validate(args)
    // A library may have a promise of its own.
    return isPromiseLike(checked) ? Promise.resolve(checked).then(read) : read(checked)
  }
}

function toFault(issue: Issue): FieldFault {
  const path = (issue.path ?? [])
    .map((part) => (typeof part === 'object' ? part.key : part))
    .map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('')
  return { path, constraint: 'schema', got: 'a value that does not fit', expected: issue.message }
}
