import { checkToolSchema, type SchemaNote } from '@callgate/coercion'
import { CallgateError, type JsonSchema } from '@callgate/spec'

import { readInput } from '../read-input.ts'

/** A schema that says something possible, and what of it is not checked. */
export interface CheckedSchema {
  readonly schema: JsonSchema
  readonly notes: readonly SchemaNote[]
}

/**
 * Reads the schema of a tool: a file, JSON text, or `-` for standard input.
 *
 * @throws CallgateError `invalid_arguments` for what cannot be read, is no JSON, or is a broken schema.
 */
export async function readSchema(given: string, signal: AbortSignal): Promise<CheckedSchema> {
  const isText = /^\s*(?:[[{"]|true\s*$|false\s*$)/.test(given)
  const where = isText ? '--schema' : given
  const text = isText ? given : await read(given, refuseSchema, signal)
  const schema = parse(text, where)
  return { schema, notes: checkToolSchema(schema) }
}

/**
 * Reads what a model sent: the text itself, `@` and a file, or `-` for standard input.
 *
 * @throws CallgateError `malformed_call` for what cannot be read.
 */
export function readSent(given: string, signal: AbortSignal): Promise<string> {
  if (given === '-') return read(given, refuseSent, signal)
  return given.startsWith('@') ? read(given.slice(1), refuseSent, signal) : Promise.resolve(given)
}

type Refuse = (where: string, why: string, cause: unknown) => CallgateError

async function read(path: string, refuse: Refuse, signal: AbortSignal): Promise<string> {
  try {
    return await readInput(path, signal)
  } catch (cause) {
    throw refuse(path, `cannot be read: ${(cause as Error).message}`, cause)
  }
}

function parse(text: string, where: string): JsonSchema {
  try {
    return JSON.parse(text) as JsonSchema
  } catch (cause) {
    throw refuseSchema(where, `is not JSON: ${(cause as Error).message}`, cause)
  }
}

function refuseSchema(where: string, why: string, cause: unknown): CallgateError {
  return new CallgateError({
    code: 'invalid_arguments',
    rule: 'repair-schema',
    where,
    message: `The schema ${why}.`,
    hint: 'Give the JSON Schema of the parameters of one tool.',
    cause,
  })
}

function refuseSent(where: string, why: string, cause: unknown): CallgateError {
  return new CallgateError({
    code: 'malformed_call',
    rule: 'repair-arguments',
    where,
    message: `The file of arguments ${why}.`,
    hint: 'A text that begins with @ names a file.',
    cause,
  })
}
