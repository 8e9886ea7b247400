import { createCoercer } from '@callgate/coercion'
import {
  CallgateError,
  type AdapterHost,
  type FieldFault,
  type JsonSchema,
  type Logger,
} from '@callgate/spec'

import { whenRejected } from '../pipeline/maybe.ts'
import type { Redactor } from '../results/redact.ts'

/** What a gateway lends to its adapters. */
export interface Lent {
  readonly log: Logger
  readonly secrets: ((name: string) => string | undefined) | undefined
  readonly redactor: Redactor
}

/** What one adapter is given of its gateway. */
export function makeAdapterHost(
  adapter: string,
  lent: Lent,
  toolsChanged: () => void,
): AdapterHost {
  const log = logOf(adapter, lent.log)
  return {
    log,
    validator,
    secret: (name) => secretOf(name, lent, log),
    toolsChanged,
  }
}

/** An adapter does not know the name it was bound under: the log says which of several wrote. */
function logOf(adapter: string, log: Logger): Logger {
  const named =
    (level: keyof Logger) =>
    (message: string, fields?: object): void =>
      log[level](message, { adapter, ...fields })
  return {
    debug: named('debug'),
    info: named('info'),
    warn: named('warn'),
    error: named('error'),
  }
}

/** Faults of a value against a schema. A value that would first have to be repaired does not fit. */
function validator(schema: JsonSchema): (value: unknown) => readonly FieldFault[] {
  const coercer = createCoercer(schema)
  return (value) => {
    const { valid, errors, repairs } = coercer.coerce(value)
    const repaired = repairs.map(({ path, from, to, rule }) => ({
      path,
      constraint: rule,
      got: typed(from),
      expected: typed(to),
    }))
    return valid ? repaired : [...errors, ...repaired]
  }
}

/** A text and the number that it holds must not look alike. */
function typed(value: unknown): string {
  const json = JSON.stringify(value) ?? 'nothing'
  return Object(value) === value || value == null ? json : `${typeof value} ${json}`
}

function secretOf(name: string, { secrets, redactor }: Lent, log: Logger): string {
  const value: unknown = secrets?.(name)
  whenRejected(value, () => {})
  if (typeof value !== 'string') {
    throw new CallgateError({
      code: 'invalid_arguments',
      rule: 'secret-missing',
      where: name,
      message: `The secret ${name} is ${value === undefined ? 'not set' : 'no text'}.`,
      hint: `Set ${name} where the gateway looks for secrets (the option \`secrets\`).`,
    })
  }
  if (!redactor.learn(value, name)) log.warn(`the secret ${name} is too short to mask`)
  return value
}
