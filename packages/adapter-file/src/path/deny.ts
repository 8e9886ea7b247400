import picomatch from 'picomatch'

/** Whether a path, given as its names, is denied by itself or lies in a folder that is (C6). */
export type Denied = (parts: readonly string[]) => boolean

// Flags: without case, and a dot that is any character: a name may hold a line end.
const options = { dot: true, flags: 'is', nonegate: true } as const

/**
 * Compiles the deny patterns of a root: `.git/**`, `*.pem`, `config/secret.json`.
 *
 * A pattern without a slash holds at every depth. Letters are compared without regard to case and to how accents are
 * composed, as some file systems do; on the others that denies a little more.
 */
export function denyOf(patterns: readonly string[]): Denied {
  if (patterns.length === 0) return () => false
  const matchers = patterns.map((pattern) => {
    const trimmed = pattern.replace(/^\.?\/+/, '').replace(/\/+$/, '')
    return picomatch((trimmed.includes('/') ? trimmed : `**/${trimmed}`).normalize('NFC'), options)
  })
  return (parts) => {
    let path = ''
    return parts.some((part) => {
      path += `${path === '' ? '' : '/'}${part.normalize('NFC')}`
      return matchers.some((matches) => matches(path))
    })
  }
}
