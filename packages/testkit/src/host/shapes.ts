import type { AdapterInstance, AdapterOutput, BoundAdapter } from '@callgate/spec'

import { check, show } from '../measure/expect.ts'

// An adapter may be written without a compiler: what it gives is looked at before it is read.

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Fails the check unless the factory gave an adapter, whoever made it. */
export function checkBound(bound: unknown): asserts bound is BoundAdapter {
  const fits =
    isObject(bound) &&
    typeof bound['create'] === 'function' &&
    isObject(bound['definition']) &&
    isObject(bound['definition']['capabilities'])
  check(
    fits,
    `The factory gave ${show(bound)}; expected an adapter: what defineAdapter(…)(options) gives.`,
  )
}

/** Fails the check unless `create` gave an instance. */
export function checkInstance(instance: unknown): asserts instance is AdapterInstance {
  check(
    isObject(instance) && !(instance instanceof Promise),
    `create gave ${instance instanceof Promise ? 'a promise' : show(instance)}; expected the instance itself.`,
  )
}

/** Fails the check unless `discover` gave a list of tools, or nothing. */
export function checkTools(found: unknown): asserts found is readonly object[] {
  check(Array.isArray(found), `discover gave ${show(found)}; expected a list of tools.`)
  for (const [index, tool] of found.entries()) {
    check(isObject(tool), `Tool ${index + 1} of discover is ${show(tool)}; expected a definition.`)
  }
}

/** What is wrong with the form of what `invoke` gave; undefined for nothing. */
export function faultOfOutput(tool: string, output: unknown): string | undefined {
  const wanted = 'expected an output: { data, content, isError }'
  if (!isObject(output)) return `"${tool}" gave ${show(output)}; ${wanted}.`
  const { content, isError } = output satisfies { readonly [K in keyof AdapterOutput]?: unknown }
  if (isError !== undefined && typeof isError !== 'boolean') {
    return `"${tool}" gave isError ${show(isError)}; expected true or false.`
  }
  if (content === undefined || (Array.isArray(content) && content.every(isObject))) return undefined
  return `"${tool}" gave the content ${show(content)}; expected a list of content parts.`
}
