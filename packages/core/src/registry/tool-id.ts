import { InvalidToolError, type ToolId } from '@callgate/spec'

import { shown } from '../checks/check.ts'

/** The id of a tool (R5.1): `namespace::name`. */
export function toolId(namespace: string, name: string): ToolId {
  return `${namespace}::${name}`
}

const control = /\p{Cc}/u

/** @throws InvalidToolError when a namespace or name cannot be part of an id. */
export function checkIdParts(namespace: unknown, name: unknown): void {
  for (const [what, text] of [
    ['namespace', namespace],
    ['name', name],
  ] as const) {
    if (typeof text === 'string' && text.trim() !== '' && !control.test(text)) continue
    throw new InvalidToolError({
      rule: `tool-${what}`,
      where: `${plain(namespace)}::${plain(name)}`,
      message: `The ${what} of a tool is ${shown(text, true)}; expected text without control characters.`,
      hint: `Give the tool a ${what}, for example "local" and "read_file".`,
    })
  }
}

function plain(part: unknown): string {
  return typeof part === 'string' ? part : shown(part, false)
}
