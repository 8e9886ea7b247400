import { createCoercer } from '@callgate/coercion'
import {
  CallgateError,
  type AdapterHost,
  type FieldFault,
  type JsonSchema,
  type Logger,
} from '@callgate/spec'

const silent = (): void => {}
export const silentLog: Logger = { debug: silent, info: silent, warn: silent, error: silent }

/** The host that an adapter under test sees: it logs nowhere and knows the secrets of the suite. */
export function adapterHost(secrets: { readonly [name: string]: string }): AdapterHost {
  return {
    log: silentLog,
    validator,
    secret(name) {
      if (Object.hasOwn(secrets, name)) return secrets[name]!
      throw new CallgateError({
        code: 'invalid_arguments',
        rule: 'secret-missing',
        where: name,
        message: `The suite has no secret ${name}.`,
        hint: 'Give it in the option `secrets` of adapterSuite.',
      })
    },
    toolsChanged: silent,
  }
}

/** A value that would first have to be repaired does not fit. */
function validator(schema: JsonSchema): (value: unknown) => readonly FieldFault[] {
  const coercer = createCoercer(schema)
  return (value) => {
    const { valid, errors, repairs } = coercer.coerce(value)
    const repaired = repairs.map(({ path, from, to, rule }) => ({
      path,
      constraint: rule,
      got: JSON.stringify(from) ?? 'nothing',
      expected: JSON.stringify(to) ?? 'nothing',
    }))
    return valid ? repaired : [...errors, ...repaired]
  }
}
