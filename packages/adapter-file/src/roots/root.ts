import { existsSync, realpathSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { InvalidOptionsError, ToolError } from '@callgate/spec'

import type { FileOptions, RootOptions } from '../options.ts'
import { denyOf, type Denied } from '../path/deny.ts'
import { rawPath } from '../path/raw-name.ts'

/** A folder that stands for `/` to the model. */
export interface Root {
  readonly name: string
  readonly read: boolean
  readonly write: boolean
  readonly links: 'deny' | 'inside'
  readonly hardLinks: 'deny' | 'read'
  readonly normalizePath: boolean
  readonly denyPatterns: readonly string[]
  readonly isDenied: Denied
  /** As the operator wrote it, made absolute. */
  readonly declaredPath: string
  /** Links resolved, once. @throws ToolError `backend_unavailable` while there is no such folder. */
  realPath(): string
}

/** The path of the host for names below a root, as text; names that are not UTF-8 in their written form. */
export function placeOf(root: Root, parts: readonly string[]): string {
  return join(root.realPath(), ...parts)
}

/** The path of the host for names below a root, as the operating system takes it. */
export function hostPath(root: Root, parts: readonly string[]): string | Buffer {
  const raw = rawPath(parts.join('/'))
  if (typeof raw === 'string') return placeOf(root, parts)
  return Buffer.concat([Buffer.from(`${root.realPath()}/`), raw])
}

/** Where the kernel shows itself as files. */
const kernelFolder = /^\/(proc|sys|dev)(\/|$)/

export function isKernelPath(place: string): boolean {
  return process.platform !== 'win32' && kernelFolder.test(place)
}

/**
 * The roots of an adapter in their order.
 *
 * @throws InvalidOptionsError: adapter-options where there is no root or no path, root-proc-sys-dev.
 */
export function rootsOf(options: FileOptions['roots']): ReadonlyMap<string, Root> {
  const given: unknown = options
  const isRecord = typeof given === 'object' && given !== null && Object.keys(given).length > 0
  if (!isRecord) throw unfit('roots', 'there is no root', 'roots: { work: { path: "folder" } }')
  return new Map(Object.entries(options).map(([name, each]) => [name, rootOf(name, each)]))
}

/** @throws InvalidOptionsError when there is no path, nothing is allowed in it, or it leads to /proc, /sys or /dev. */
export function rootOf(name: string, options: RootOptions): Root {
  const declaredPath = declaredPathOf(name, options)
  const deny = options.deny ?? []
  let known: string | undefined
  const realPath = (): string => (known ??= resolveRoot(name, declaredPath))
  return {
    name,
    read: options.read ?? true,
    write: options.write ?? false,
    links: options.links ?? 'deny',
    hardLinks: options.hardLinks ?? 'deny',
    normalizePath: options.normalizePath ?? false,
    denyPatterns: deny,
    isDenied: denyOf(deny),
    declaredPath,
    realPath,
  }
}

function declaredPathOf(name: string, options: RootOptions | null | undefined): string {
  const { path, read, write } = options ?? {}
  if (typeof path !== 'string' || path === '') {
    throw unfit(`roots.${name}`, `the root "${name}" has no path`, '{ path: "folder" }')
  }
  if (read === false && write !== true) {
    const what = `the root "${name}" may neither be read nor written`
    throw unfit(`roots.${name}`, what, 'write: true')
  }
  const declaredPath = resolve(path)
  if (!isKernelPath(declaredPath)) return declaredPath
  throw new InvalidOptionsError({
    rule: 'root-proc-sys-dev',
    where: `roots.${name}.path`,
    message: `The root "${name}" lies in /proc, /sys or /dev.`,
    hint: 'Name a folder that holds files.',
  })
}

/** What the schema of the options says, for those who have no validator. */
function unfit(where: string, what: string, example: string): InvalidOptionsError {
  return new InvalidOptionsError({
    rule: 'adapter-options',
    where,
    message: `The options of the adapter for files do not fit: ${what}.`,
    hint: `Write ${example}.`,
  })
}

function resolveRoot(name: string, path: string): string {
  try {
    if (statSync(path).isDirectory()) return realpathSync.native(path)
  } catch {
    // Not there, or not to be seen: the same for the caller.
  }
  throw missing(name)
}

/** @throws ToolError `backend_unavailable` where the folder was there once, and is no more. */
export function checkStillThere(root: Root): void {
  if (!existsSync(root.realPath())) throw missing(root.name)
}

function missing(name: string): ToolError {
  return new ToolError({
    code: 'backend_unavailable',
    rule: 'root-missing',
    message: `The root "${name}" is not there.`,
    started: 'no',
  })
}
