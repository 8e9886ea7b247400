import type { AdapterDefinition, BoundAdapter } from './adapter.ts'
import { checkDefinition } from './check-definition.ts'
import { describeFault } from './describe-fault.ts'
import { InvalidOptionsError } from './errors.ts'
import type { FieldFault } from './result.ts'

const brand = Symbol.for('callgate.adapter.v1')

/**
 * Makes an adapter from plain data and one factory (design section 6).
 *
 * Takes the definition; gives back a function that binds options to it and does no I/O. The name of the
 * bound adapter is `options.name`, or else the definition's.
 *
 * @throws InvalidOptionsError when the contract number, a field of the definition, the options as a whole, or the name
 * does not fit.
 */
export function defineAdapter<Options>(
  definition: AdapterDefinition<Options>,
): (options: Options & { readonly name?: string }) => BoundAdapter {
  checkDefinition(definition)
  return (options) => {
    requireOptions(definition.name, options)
    const { name = definition.name, ...rest } = options
    if (typeof name !== 'string' || !/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/.test(name)) {
      throw new InvalidOptionsError({
        rule: 'adapter-name',
        where: definition.name,
        message: `${shown(name)} cannot name an adapter.`,
        hint: 'Use a letter, then letters, digits, "_" or "-", at most 64 in all.',
      })
    }
    const bound: BoundAdapter = {
      name,
      definition: {
        contract: definition.contract,
        name: definition.name,
        capabilities: definition.capabilities,
        configSchema: definition.configSchema,
      },
      create: (host) => {
        refuseMisfit(name, host.validator(definition.configSchema)(rest))
        // `name` is the binding's, the rest is the adapter's own.
        return definition.create(rest as unknown as Options, host)
      },
    }
    return Object.defineProperty(bound, brand, { value: true })
  }
}

function refuseMisfit(name: string, faults: readonly FieldFault[]): void {
  // A name that is wrong explains why another is missing.
  const misspelt = faults.find(({ constraint }) => constraint === 'additionalProperties')
  const fault = misspelt ?? faults[0]
  if (fault === undefined) return
  const place = fault.path === '' ? 'the options' : `option ${fault.path}`
  const { message, hint = 'Correct this option of the adapter.' } = describeFault(fault, place)
  throw new InvalidOptionsError({
    rule: 'adapter-options',
    where: `${name}${fault.path}`,
    message: `Adapter "${name}": ${message}`,
    hint,
  })
}

/**
 * Looks whether the options of an adapter are an object at all; what stands in it is for its schema.
 *
 * Takes the adapter's name and what a caller without types may have given: nothing, a text, a list. For functions that
 * read an option before they bind it, or that have no host to validate with.
 *
 * @throws InvalidOptionsError with the rule adapter-options.
 */
export function requireOptions(adapter: string, options: unknown): asserts options is object {
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) return
  throw new InvalidOptionsError({
    rule: 'adapter-options',
    where: adapter,
    message: `The options of the adapter "${adapter}" are ${kindOf(options)}; expected an object.`,
    hint: 'Give an object, {} where nothing is set.',
  })
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : kindOf(value)
}

/** Whether a value was made by {@link defineAdapter}, of this copy of the package or another. */
export function isBoundAdapter(value: unknown): value is BoundAdapter {
  return (
    typeof value === 'object' &&
    value !== null &&
    (value as Record<symbol, unknown>)[brand] === true
  )
}
