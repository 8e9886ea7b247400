import { matchesGlob } from '@callgate/hooks'
import type { CallContext, ToolId } from '@callgate/spec'

import { checkFields } from '../pipeline/change-fields.ts'
import { isPromiseLike } from '../pipeline/maybe.ts'
import { scopeOf } from '../pipeline/scope.ts'
import type { Services } from '../pipeline/services.ts'
import type { ToolEntry } from '../registry/tool-entry.ts'

/** The tools that a caller sees, without those that a `tools_listed` hook hides. */
export function listedTools(context: CallContext, services: Services): readonly ToolEntry[] {
  const visible = services.registry.visible(context)
  if (!services.bus.has('tools_listed')) return visible
  const hidden = hiddenByHooks(visible, context, services)
  return visible.filter(({ id }) => !hidden.has(id))
}

/** Of those, what a model is told of: a tool that is held back may tell it anything. */
export function shownTools(context: CallContext, services: Services): readonly ToolEntry[] {
  const { pins } = services
  const listed = listedTools(context, services)
  return pins.any ? listed.filter((entry) => !pins.holds(entry)) : listed
}

/** The ids that a model is told of; undefined where it is all that the caller sees. */
export function shownIds(
  context: CallContext,
  services: Services,
): ReadonlySet<ToolId> | undefined {
  if (!services.pins.any && !services.bus.has('tools_listed')) return undefined
  return new Set(shownTools(context, services).map(({ id }) => id))
}

function hiddenByHooks(
  visible: readonly ToolEntry[],
  context: CallContext,
  services: Services,
): ReadonlySet<ToolId> {
  const ids = visible.map(({ id }) => id)
  // By the payload that the bus goes on with: what a hook that only records would hide is not hidden.
  const hiddenIn = new Map<object, readonly ToolId[]>()
  const outcome = services.bus.fire(
    'tools_listed',
    Object.freeze({ tools: Object.freeze(visible.map(({ definition }) => definition)), context }),
    {
      subjects: ids,
      ...scopeOf(context),
      frozen: true,
      apply(payload, change) {
        const next = Object.freeze({ ...payload })
        hiddenIn.set(next, [...(hiddenIn.get(payload) ?? []), ...readHidden(change as object)])
        return next
      },
    },
  )
  const hidden = new Set<ToolId>(
    isPromiseLike(outcome) ? [...hiddenIn.values()].flat() : hiddenIn.get(outcome.payload),
  )
  // A list is made at once. Who hides tools and does not say which in time hides all that it looks after.
  const failed = isPromiseLike(outcome)
    ? services.bus
        .list()
        .filter(({ kind, auditOnly }) => kind === 'transform' && auditOnly !== true)
    : failedHooks(outcome.trace, services)
  for (const { id: hook, match } of failed.filter(({ event }) => event === 'tools_listed')) {
    services.log.error(
      `the hook "${hook}" failed on the list of tools, so what it covers is hidden`,
    )
    for (const id of ids) if (match === undefined || matchesGlob(match, id)) hidden.add(id)
  }
  return hidden
}

function failedHooks(
  trace: readonly { readonly hook: string; readonly fault?: string }[],
  { bus }: Services,
): ReturnType<Services['bus']['list']> {
  const failed = new Set(trace.flatMap(({ hook, fault }) => (fault === undefined ? [] : [hook])))
  return failed.size === 0
    ? []
    : bus.list().filter(({ id, auditOnly }) => auditOnly !== true && failed.has(id!))
}

function readHidden(change: object): readonly string[] {
  checkFields(change, 'hide')
  const { hide = [] } = change as { hide?: unknown }
  if (Array.isArray(hide) && hide.every((id) => typeof id === 'string')) return hide
  throw new TypeError('modify.hide must be a list of tool ids')
}
