import type { TargetOptions } from '../guard/policy.ts'

/** The adapter's targets with those of a document or tool over them; `allow` lists add up. */
export function mergeTargets(general: TargetOptions, own: TargetOptions): TargetOptions {
  const { ports = general.ports, schemes = general.schemes, redirects = general.redirects } = own
  return {
    allow: [...(general.allow ?? []), ...(own.allow ?? [])],
    ...(ports === undefined ? {} : { ports }),
    ...(schemes === undefined ? {} : { schemes }),
    ...(redirects === undefined ? {} : { redirects }),
  }
}
