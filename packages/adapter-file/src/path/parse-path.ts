import { Buffer } from 'node:buffer'

import { checkText } from '../guard/check-text.ts'
import { refuse } from '../guard/refuse.ts'
import { isCanonicalName, rawPath } from './raw-name.ts'
import { isWindowsName, isWindowsPath } from './windows-names.ts'

/** A path below a root: names only, no `.`, `..` or empty ones. The root itself has none. */
export interface RelativePath {
  readonly parts: readonly string[]
  /** The parts with `/` between them; the root is `.`. */
  readonly text: string
}

const maxNameBytes = 255
const maxPathBytes = 4095

/**
 * Reads a path of the model's (C1). It is text: nothing is decoded, normalised or trimmed, and no tilde, variable or
 * URL is read. `.` and double slashes are left out; `a/../b` is `b`, whatever `a` is; a step above the root is refused.
 *
 * Takes the value as sent and the name of the parameter. The first rule that applies is the one that is named.
 *
 * @throws ToolError `guard_refused` with the rule type, nul, unicode-invalid, length, windows-path, backslash,
 * windows-name, absolute or dotdot.
 */
export function parsePath(value: unknown, parameter: string): RelativePath {
  if (typeof value !== 'string' || value === '') {
    return refuse(
      'type',
      parameter,
      `"${parameter}" must be a text that is not empty; "." is the root.`,
    )
  }
  checkText(value, parameter)
  const names = value.split('/')
  checkNames(value, names, parameter)
  if (value.startsWith('/')) {
    return refuse(
      'absolute',
      parameter,
      `"${parameter}" must be relative to the root, without "/" before it.`,
    )
  }
  return relativePath(inside(names, parameter))
}

/** A path of names that are known to be good. */
export function relativePath(parts: readonly string[]): RelativePath {
  return { parts, text: parts.length === 0 ? '.' : parts.join('/') }
}

function checkNames(value: string, names: readonly string[], parameter: string): void {
  const isLong =
    byteLength(value) > maxPathBytes || names.some((name) => byteLength(name) > maxNameBytes)
  if (isLong) {
    const message = `"${parameter}" is too long: a name has ${maxNameBytes} bytes at most, a path ${maxPathBytes}.`
    refuse('length', parameter, message)
  }
  if (isWindowsPath(value)) {
    refuse(
      'windows-path',
      parameter,
      `"${parameter}" is a path of Windows; use one relative to the root.`,
    )
  }
  if (!names.every(hasNoBackslash)) {
    refuse(
      'backslash',
      parameter,
      `"${parameter}" may not hold a backslash; "/" stands between names.`,
    )
  }
  if (names.some((name) => name !== '.' && name !== '..' && isWindowsName(name))) {
    const message = `"${parameter}" holds a name that Windows reads otherwise: a device, a colon, or a dot or blank at the end.`
    refuse('windows-name', parameter, message)
  }
}

function byteLength(name: string): number {
  return Buffer.byteLength(rawPath(name))
}

/** Other than in the written form of a name that is not UTF-8. */
function hasNoBackslash(name: string): boolean {
  return (
    !name.includes('\\') ||
    (!name.replace(/\\x[89A-F][0-9A-F]/g, '').includes('\\') && isCanonicalName(name))
  )
}

function inside(names: readonly string[], parameter: string): readonly string[] {
  const parts: string[] = []
  for (const name of names) {
    if (name === '' || name === '.') continue
    if (name !== '..') parts.push(name)
    else if (parts.pop() === undefined) {
      refuse('dotdot', parameter, `"${parameter}" may not lead above the root.`)
    }
  }
  return parts
}
