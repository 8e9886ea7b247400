import type { CallContext, ToolDefinition } from '@callgate/spec'

/** Layer 1 (R9.1): which tools a caller may see and call. One rule for the list and for the call. */
export interface Visibility {
  allows(tool: ToolDefinition, context: CallContext): boolean
  /** Whether its roles let the caller see tools of any tag. */
  seesEverything(context: CallContext): boolean
  /** The roles, of those configured, that may call the tool. */
  rolesThatMay(tool: ToolDefinition): readonly string[]
}

type Roles = { readonly [role: string]: { readonly tagsAllow: readonly string[] } }

const everything = '*'
/** What a context without roles is taken for. */
const defaultRole = 'default'

function hasTagOf(allowed: ReadonlySet<string> | undefined, tool: ToolDefinition): boolean {
  if (allowed === undefined) return false
  if (allowed.has(everything)) return true
  for (const tag of tool.permissions?.tags ?? noTags) if (allowed.has(tag)) return true
  return false
}

const noTags: readonly string[] = []

function isOneOf(roles: readonly string[], held: readonly string[]): boolean {
  return roles.some((role) => held.includes(role))
}

export function createVisibility(roles: Roles | undefined): Visibility {
  const tags = new Map(
    Object.entries(roles ?? {}).map(([role, { tagsAllow }]) => [role, new Set(tagsAllow)]),
  )
  const rolesOf = (context: CallContext): readonly string[] =>
    context.roles === undefined || context.roles.length === 0 ? [defaultRole] : context.roles
  const tagsAllow = (tool: ToolDefinition, held: readonly string[]): boolean => {
    if (tags.size === 0) return true
    for (const role of held) if (hasTagOf(tags.get(role), tool)) return true
    return false
  }
  const allows = (tool: ToolDefinition, held: readonly string[]): boolean => {
    const { requiredRoles, deniedRoles } = tool.permissions ?? {}
    if (deniedRoles !== undefined && isOneOf(deniedRoles, held)) return false
    if (requiredRoles !== undefined && !isOneOf(requiredRoles, held)) return false
    return tagsAllow(tool, held)
  }
  return {
    allows: (tool, context) => allows(tool, rolesOf(context)),
    seesEverything: (context) =>
      tags.size === 0 || rolesOf(context).some((role) => tags.get(role)?.has(everything) === true),
    rolesThatMay: (tool) =>
      [...new Set([...tags.keys(), ...(tool.permissions?.requiredRoles ?? [])])].filter((role) =>
        allows(tool, [role]),
      ),
  }
}
