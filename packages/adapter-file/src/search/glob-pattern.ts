import { checkPattern } from '../guard/check-text.ts'
import { refuse } from '../guard/refuse.ts'

/** A glob of the model's, made ready: the folder in which it begins, and what is left for ripgrep. */
export interface GlobPlan {
  /** Names before the first one with a special character. */
  readonly folder: string
  /** Undefined where every file below the folder is meant. */
  readonly pattern: string | undefined
}

const maxLength = 1024

/**
 * Reads a glob. `*.ts` means files at every depth; a pattern with "/" begins in the folder that is searched, and one that
 * ends with it (`src/`) means all that is below.
 *
 * Its matching is ripgrep's, in linear time whatever the pattern is.
 *
 * @throws ToolError `guard_refused` with the rule type, nul, unicode-invalid, length or glob.
 */
export function globPlan(value: unknown, parameter: string): GlobPlan {
  if (typeof value !== 'string' || value.trim() === '') {
    return refuse('type', parameter, `"${parameter}" must be a text that is not empty.`)
  }
  checkPattern(value, parameter, maxLength)
  checkInside(value, parameter)
  const names = value.split('/').filter((name) => name !== '.' && name !== '')
  if (/(^|\/)\.?$/.test(value)) names.push('**')
  if (!value.includes('/')) return { folder: '.', pattern: atEveryDepth(names.join('')) }
  const special = names.findIndex((name) => /[*?[\]{}\\]/.test(name))
  const count = special === -1 ? names.length - 1 : Math.min(special, names.length - 1)
  const rest = names.slice(count).join('/')
  return {
    folder: count === 0 ? '.' : names.slice(0, count).join('/'),
    // A slash before it: it begins here, not at every depth.
    pattern: rest.startsWith('**') ? orAll(rest) : `/${rest}`,
  }
}

/** With folders before it `#` is a character, and begins no comment. */
function atEveryDepth(name: string): string | undefined {
  return name.startsWith('#') ? `**/${name}` : orAll(name)
}

function orAll(pattern: string): string | undefined {
  return ['*', '**', '**/*'].includes(pattern) ? undefined : pattern
}

function checkInside(value: string, parameter: string): void {
  const leadsOut = value.startsWith('/') || /^[A-Za-z]:/.test(value) || value.includes('\\')
  const climbs = value.split(/[/{},]/).includes('..')
  if (leadsOut || climbs || value.startsWith('!')) {
    const message = `"${parameter}" must be relative, without "..", a backslash or "!" before it.`
    refuse('glob', parameter, message)
  }
}
