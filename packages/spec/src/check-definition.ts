import type { AdapterDefinition } from './adapter.ts'
import { InvalidOptionsError } from './errors.ts'

const fields = [
  'contract',
  'name',
  'capabilities',
  'configSchema',
  'create',
] as const satisfies readonly (keyof AdapterDefinition<never>)[]

/**
 * Looks at what an adapter is made of: a capability under a field that is misspelt would be one that there is not.
 *
 * @throws InvalidOptionsError with the rule `adapter-contract` or `adapter-definition`.
 */
export function checkDefinition(definition: AdapterDefinition<never>): void {
  const { name, contract } = definition
  if (contract !== 1) {
    throw new InvalidOptionsError({
      rule: 'adapter-contract',
      where: name,
      message: `Adapter "${name}" is written for contract ${String(contract)}; this version of Callgate knows contract 1.`,
      hint: 'Install a version of the adapter for contract 1.',
    })
  }
  const unknown = Object.keys(definition).find((key) => !fields.some((field) => field === key))
  if (unknown !== undefined) {
    throw new InvalidOptionsError({
      rule: 'adapter-definition',
      where: `${name}/${unknown}`,
      message: `Adapter "${name}": there is the unknown field "${unknown}" in its definition.`,
      hint: `Use one of ${fields.join(', ')}.`,
    })
  }
  if (typeof definition.create === 'function') return
  throw new InvalidOptionsError({
    rule: 'adapter-definition',
    where: `${name}/create`,
    message: `Adapter "${name}": there is no function "create" in its definition.`,
    hint: 'Give create(options, host), which gives back { invoke } at least.',
  })
}
