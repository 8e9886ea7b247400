import type { ToolDefinition } from '@callgate/spec'

/** `a__b__c` of a vector is the tool c in the namespace a::b; a name without `__` is local. */
export function splitWireName(wireName: string): {
  readonly namespace: string
  readonly name: string
} {
  const parts = wireName.split('__')
  const name = parts.pop()!
  return { namespace: parts.length === 0 ? 'local' : parts.join('::'), name }
}

/** An open object, for tools whose schema a vector does not give. */
export const openObject: ToolDefinition['parameters'] = { type: 'object' }
