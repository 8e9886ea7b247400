import type { CallContext } from '@callgate/spec'

const nowhere: { readonly scope?: string } = {}

/** Where hooks are told that a call is made. */
export function scopeOf({ scope }: CallContext): { readonly scope?: string } {
  return scope === undefined ? nowhere : { scope }
}
