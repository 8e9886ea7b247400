import { isPromiseLike } from '@callgate/hooks'
import type { ToolDefinition } from '@callgate/spec'

import { Touched, type Access } from './touched.ts'

export interface Planned {
  readonly tool?: ToolDefinition
  readonly arguments?: unknown
}

export type Segment = readonly ['sequential' | 'parallel', readonly number[]]

/**
 * Orders the calls of a turn by what their tools declare (design section 3): segments run one after another, the
 * calls of a parallel one at the same time. No tool or no arguments (unknown, unparsable): exclusive. The numbers
 * are indexes into `calls`.
 */
export function planTurn(calls: readonly Planned[]): readonly Segment[] {
  const segments: [kind: Segment[0], indexes: number[]][] = []
  let open: { readonly indexes: number[]; readonly touched: Touched } | undefined
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
    if (open?.touched.conflicts(access) === true) close()
    open ??= { indexes: [], touched: new Touched() }
    open.indexes.push(index)
    open.touched.add(access)
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

/** What a tool says of its arguments; what is not of that form says nothing, so the call runs alone. */
function declared(
  resources: NonNullable<NonNullable<ToolDefinition['effects']>['resources']>,
  args: unknown,
): Access | undefined {
  try {
    const given: unknown = resources(args)
    if (isPromiseLike(given)) {
      // It says nothing now, and its rejection is nobody's.
      void Promise.resolve(given).catch(() => {})
      return undefined
    }
    const { read, write } = given as { readonly read?: unknown; readonly write?: unknown }
    const access = { read: textsOf(read), write: textsOf(write) }
    return access.read.length + access.write.length === 0 ? undefined : access
  } catch {
    return undefined
  }
}

/** A copy, so that what was looked at is what is used. @throws TypeError */
function textsOf(given: unknown): readonly string[] {
  if (given === undefined) return []
  const texts: readonly unknown[] | undefined = Array.isArray(given) ? [...given] : undefined
  if (texts?.every((one) => typeof one === 'string') === true) return texts
  throw new TypeError('resources are lists of texts')
}
