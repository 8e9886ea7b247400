import { isPromiseLike } from '@callgate/hooks'
import type { ToolDefinition } from '@callgate/spec'

export interface Planned {
  readonly tool?: ToolDefinition
  readonly arguments?: unknown
}

export type Segment = readonly ['sequential' | 'parallel', readonly number[]]

interface Access {
  readonly read: readonly string[]
  readonly write: readonly string[]
}

/**
 * Orders the calls of a turn by what their tools declare (design section 3): segments run one after another, the
 * calls of a parallel one at the same time. No tool or no arguments (unknown, unparsable): exclusive. The numbers
 * are indexes into `calls`.
 */
export function planTurn(calls: readonly Planned[]): readonly Segment[] {
  const segments: [kind: Segment[0], indexes: number[]][] = []
  let open: { readonly indexes: number[]; readonly accesses: Access[] } | undefined
  const close = (): void => {
    if (open !== undefined)
      add(segments, open.indexes.length > 1 ? 'parallel' : 'sequential', open.indexes)
    open = undefined
  }
  for (const [index, call] of calls.entries()) {
    const access = accessOf(call)
    if (access === undefined) {
      close()
      add(segments, 'sequential', [index])
      continue
    }
    if (open?.accesses.some((other) => conflict(other, access)) === true) close()
    open ??= { indexes: [], accesses: [] }
    open.indexes.push(index)
    if (access.read.length + access.write.length > 0) open.accesses.push(access)
  }
  close()
  return segments
}

function add(
  segments: [Segment[0], number[]][],
  kind: Segment[0],
  indexes: readonly number[],
): void {
  const last = segments.at(-1)
  if (kind === 'sequential' && last?.[0] === 'sequential') last[1].push(...indexes)
  else segments.push([kind, [...indexes]])
}

/** What a call touches; undefined where it must run alone. */
function accessOf({ tool, arguments: args }: Planned): Access | undefined {
  const effects = tool?.effects
  if (effects === undefined || args === undefined || effects.concurrency === 'exclusive')
    return undefined
  if (effects.resources !== undefined) return declared(effects.resources.bind(effects), args)
  return effects.readOnly === true || effects.concurrency === 'parallel'
    ? { read: [], write: [] }
    : undefined
}

function declared(
  resources: NonNullable<NonNullable<ToolDefinition['effects']>['resources']>,
  args: unknown,
): Access | undefined {
  try {
    const given = resources(args) ?? {}
    // A promise says nothing now, and its rejection is nobody's.
    if (isPromiseLike(given as unknown)) void Promise.resolve(given).catch(() => {})
    const { read = [], write = [] } = given
    return read.length + write.length === 0 ? undefined : { read, write }
  } catch {
    return undefined
  }
}

function conflict(a: Access, b: Access): boolean {
  return overlap(a.write, b.write) || overlap(a.write, b.read) || overlap(a.read, b.write)
}

function overlap(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.some((other) => isWithin(one, other) || isWithin(other, one)))
}

/** Whether a resource is another one or below it, split at `/`. */
function isWithin(inner: string, outer: string): boolean {
  const root = outer.endsWith('/') ? outer.slice(0, -1) : outer
  return inner === outer || inner === root || inner.startsWith(`${root}/`)
}
