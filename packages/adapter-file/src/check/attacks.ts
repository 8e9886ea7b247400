import type { OperationName } from '../operations/operation.ts'
import type { Root } from '../roots/root.ts'

/** A hostile value and the rule that has to stop it; without a rule it has to stay a name inside the root. */
export interface FileAttack {
  readonly name: string
  readonly value: string
  readonly rule?: string
  /** Operations on which it has a meaning. Default: all. */
  readonly on?: readonly OperationName[]
}

/** Names of the throw-away root that {@link pathAttacks} use. */
export const sample = 'sample.txt'

const onContent: readonly OperationName[] = ['read', 'write', 'edit', 'stat', 'copy']

const pathAttacks: readonly FileAttack[] = [
  { name: 'parent folder', value: '../out/secret', rule: 'dotdot' },
  { name: 'parent folder by a detour', value: 'sub/../../out/secret', rule: 'dotdot' },
  { name: 'absolute path', value: '/etc/passwd', rule: 'absolute' },
  { name: 'backslashes', value: '..\\out\\secret', rule: 'backslash' },
  { name: 'drive of Windows', value: 'C:\\Windows\\win.ini', rule: 'windows-path' },
  { name: 'server of Windows', value: '\\\\server\\share', rule: 'windows-path' },
  { name: 'device of Windows', value: 'sub/NUL.txt', rule: 'windows-name' },
  { name: 'stream of Windows', value: `${sample}::$DATA`, rule: 'windows-name' },
  { name: 'dot at the end', value: `${sample}.`, rule: 'windows-name' },
  { name: 'NUL', value: `${sample}\0.png`, rule: 'nul' },
  { name: 'half a surrogate pair', value: '\uD800', rule: 'unicode-invalid' },
  { name: 'link to a file', value: 'link-file', rule: 'symlink' },
  { name: 'link to a folder', value: 'link-folder/secret', rule: 'symlink' },
  { name: 'link to what is not there yet', value: 'link-new', rule: 'symlink' },
  { name: 'percent form', value: '%2e%2e/out/secret' },
  { name: 'full-width dots', value: '\uFF0E\uFF0E/out/secret' },
]

const globAttacks: readonly FileAttack[] = [
  { name: 'absolute pattern', value: '/etc/*', rule: 'glob' },
  { name: 'parent folder', value: '../out/*', rule: 'glob' },
  { name: 'parent folder in braces', value: '{..,sub}/*', rule: 'glob' },
  { name: 'link to a folder', value: 'link-folder/*', rule: 'symlink' },
  { name: 'everything', value: '**' },
]

/** The attacks on a parameter of a tool, below a root with its own rules (G2). */
export function attacksOn(
  parameter: string,
  operation: OperationName,
  root: Root,
): readonly FileAttack[] {
  if (parameter === 'glob') return globAttacks
  const hardLink = { name: 'second name of a file', value: 'hard', rule: 'hardlink', on: onContent }
  const isRead = ['read', 'stat'].includes(operation) || parameter === 'from'
  // Reading such files is what the operator chose.
  const own = root.hardLinks === 'read' && isRead ? [] : [hardLink]
  return [...pathAttacks, ...own, ...root.denyPatterns.flatMap(deniedPath)].filter(
    ({ on }) => on === undefined || on.includes(operation),
  )
}

/** A path that a simple pattern denies. */
function deniedPath(pattern: string): readonly FileAttack[] {
  if (/[[\]{}()!+@?]/.test(pattern)) return []
  const value = pattern.replace(/\*+/g, 'x')
  return [{ name: `denied by ${pattern}`, value, rule: 'deny-glob' }]
}
