import { checkToolSchema } from '@callgate/coercion'
import { isBoundAdapter } from '@callgate/spec'

import { check, fail, show } from '../measure/expect.ts'
import type { Check } from './check.ts'

export const contract: Check = {
  name: 'contract',
  title: 'it was made by defineAdapter for contract 1',
  async run({ factory }) {
    const bound = await factory()
    check(isBoundAdapter(bound), 'The adapter has not the brand that defineAdapter gives.')
    const { contract: number } = bound.definition
    check(number === 1, `The adapter is for contract ${show(number)}; there is contract 1.`)
  },
}

const nameForm = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/

export const name: Check = {
  name: 'name',
  title: 'its names are letters, digits, "_" and "-", beginning with a letter',
  async run({ factory }) {
    const bound = await factory()
    for (const each of [bound.name, bound.definition.name]) {
      check(
        typeof each === 'string' && nameForm.test(each),
        `${show(each)} cannot name an adapter.`,
      )
    }
  },
}

export const options: Check = {
  name: 'options',
  title: 'its options have a JSON Schema',
  async run({ factory }) {
    const { configSchema } = (await factory()).definition
    check(
      typeof configSchema === 'object' && configSchema !== null,
      `configSchema is ${show(configSchema)}; it must be a JSON Schema that describes the options.`,
    )
    try {
      checkToolSchema(configSchema)
    } catch (error) {
      fail(`configSchema is no JSON Schema: ${show(error)}`)
    }
  },
}

const claims = ['cancel', 'progress', 'health', 'batch', 'dynamic', 'idempotencyKey'] as const

export const capabilities: Check = {
  name: 'capabilities',
  title: 'it says what it can and how its work is isolated',
  async run({ factory }) {
    const { capabilities: said } = (await factory()).definition
    check(typeof said === 'object' && said !== null, `capabilities is ${show(said)}.`)
    for (const claim of claims) {
      const value = said[claim]
      check(
        value === undefined || typeof value === 'boolean',
        `capabilities.${claim} is ${show(value)}; it must be true or false.`,
      )
    }
    const { isolation } = said
    check(
      typeof isolation === 'string' && isolation !== '',
      'capabilities.isolation is not said. Say "none" where there is none.',
    )
  },
}
