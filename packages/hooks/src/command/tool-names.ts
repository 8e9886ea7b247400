import { createHash } from 'node:crypto'

/** The name of a tool as hooks written for other programs know it: `mcp__files__read` for `mcp::files::read`, `read` for `local::read`. */
export function plainName(tool: string): string {
  return withoutLocal(tool)
    .replaceAll('::', '__')
    .replaceAll(/[^a-zA-Z0-9_]/g, '_')
}

/**
 * Every name under which somebody may know a tool: its id, the id with underscores, the plain name, and the name that
 * models see, which ends in a hash of the id where letters had to be changed. A guard must not miss its tool because
 * its author read another name of it.
 */
export function namesOf(tool: string): ReadonlySet<string> {
  const plain = plainName(tool)
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, 8)
  return new Set([
    plain,
    tool,
    withoutLocal(tool),
    tool.replaceAll('::', '__'),
    withoutLocal(tool).replaceAll('::', '__'),
    tool.replaceAll('::', '__').replaceAll(/[^a-zA-Z0-9_]/g, '_'),
    `${plain.slice(0, 64 - hash.length - 1)}_${hash}`,
  ])
}

function withoutLocal(tool: string): string {
  return tool.replace(/^local::/, '')
}
