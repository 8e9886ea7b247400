import { posix } from 'node:path'

import type { Root } from '../roots/root.ts'

/**
 * A path of the host that lies below a root as the path relative to it (`normalize_path`, R8.2); every other value as
 * it came, for the guard to judge.
 *
 * `/data/app/src/../a` below the root `/data/app` is `a`; `/data/app/../x` lies elsewhere and stays absolute.
 */
export function normalizePath(root: Root, value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith('/')) return value
  const path = posix.normalize(value)
  const base = root.declaredPath
  if (path === base || path === `${base}/`) return '.'
  const prefix = base.endsWith('/') ? base : `${base}/`
  return path.startsWith(prefix) ? path.slice(prefix.length) : value
}
