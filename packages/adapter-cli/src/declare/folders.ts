import { realpathSync, statSync } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'

import type { Refuse } from './refuse.ts'

/** Replaces `{workspace}` (or `{{workspace}}`). */
export function withWorkspace(text: string, workspace: string): string {
  return text.replace(/\{\{workspace\}\}|\{workspace\}/g, () => workspace)
}

/** Whether a real path is a folder or lies below it. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

/**
 * The real path of a tool's working directory (B7).
 *
 * Takes the declared text, `{workspace}` when undefined, and the workspace. The directory must exist and lie,
 * links followed, in the workspace.
 */
export function workingDirectory(
  declared: string | undefined,
  workspace: string,
  refuse: Refuse,
): string {
  const path = resolve(workspace, withWorkspace(declared ?? '{workspace}', workspace))
  const root = realFolder(workspace)
  const real = realFolder(path)
  if (root === undefined || real === undefined) {
    return refuse(
      'working-dir',
      `the working directory ${root === undefined ? workspace : path} is not a folder.`,
      'Make the folder before the gateway starts, or name another one in working_dir.',
    )
  }
  if (!isInside(root, real)) {
    return refuse(
      'working-dir',
      `the working directory ${real} lies outside the workspace ${root}.`,
      'Name a folder in {workspace}, or give the adapter another workspace.',
    )
  }
  return real
}

function realFolder(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? realpathSync.native(path) : undefined
  } catch {
    return undefined
  }
}
