import type { ToolDefinition, ToolId } from '@callgate/spec'

import { isRecord } from './read-data.ts'

/** The built-in adapter of tools that are a fixed sequence of others (R5.7). */
export const compositeAdapter = 'composite'

/** One call of the sequence; texts in `arguments` may hold `{parameter}` and `{0/…}`, a place in the result of a step. */
export interface CompositeStep {
  readonly tool: ToolId
  readonly arguments?: unknown
}

/** The steps of a composite tool whose block was looked at. */
export function stepsOf({ backend }: ToolDefinition): readonly CompositeStep[] {
  return (backend as { steps?: unknown }).steps as readonly CompositeStep[]
}

/**
 * Puts parameters and earlier results into a template of arguments. A text that is one placeholder becomes the value
 * itself; inside a longer text the value is written. Values are put in once and never read as templates.
 */
export function fillTemplate(
  template: unknown,
  parameters: { readonly [name: string]: unknown },
  results: readonly unknown[],
): unknown {
  if (typeof template === 'string')
    return fillText(template, (name) => lookUp(name, parameters, results))
  if (Array.isArray(template))
    return template.map((part) => fillTemplate(part, parameters, results))
  if (!isRecord(template)) return template
  return Object.fromEntries(
    Object.entries(template).map(([key, part]) => [key, fillTemplate(part, parameters, results)]),
  )
}

/** `{name}` or `{{name}}`. */
const placeholder = /\{\{([^{}]+)\}\}|\{([^{}]+)\}/g
const onePlaceholder = new RegExp(`^(?:${placeholder.source})$`)

function fillText(text: string, value: (name: string) => unknown): unknown {
  const whole = onePlaceholder.exec(text)
  if (whole !== null) {
    const found = value((whole[1] ?? whole[2])!)
    return found === literal ? text : found
  }
  return text.replaceAll(placeholder, (brace, twice?: string, once?: string) => {
    const found = value((twice ?? once)!)
    if (found === literal) return brace
    return typeof found === 'string' ? found : (JSON.stringify(found) ?? '')
  })
}

/** What stands between braces and is no name of anything stays as it is. */
const literal = Symbol('literal')
/** What a parameter or a step may be called that is not there: it has no value, and is no other text. */
const nameLike = /^[\p{L}\p{N}_.~/-]+$/u

/** `name` is a parameter; `0` or `0/a/b` is the result of the first step, or a place in it. */
function lookUp(
  name: string,
  parameters: { readonly [name: string]: unknown },
  results: readonly unknown[],
): unknown {
  if (Object.hasOwn(parameters, name)) return parameters[name]
  const [step, ...keys] = name.split('/')
  if (!nameLike.test(name)) return literal
  let value = /^\d+$/.test(step!) ? results[Number(step)] : undefined
  for (const key of keys.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}
