import { lstatSync, realpathSync } from 'node:fs'
import { isAbsolute, relative, sep } from 'node:path'

import { nameText } from '../path/raw-name.ts'
import { hostPath, type Root } from '../roots/root.ts'
import { refuse } from './refuse.ts'
import { codeOf, systemError } from './system-error.ts'

/**
 * The names below the root that a path leads to, links followed; what does not exist yet keeps its names.
 *
 * It decides nothing alone: what is opened afterwards is opened without following links.
 *
 * @throws ToolError `guard_refused` symlink when a link leads out of the root, in a circle, or nowhere.
 */
export function followLinks(
  root: Root,
  parts: readonly string[],
  parameter: string,
): readonly string[] {
  for (let count = parts.length; count >= 0; count -= 1) {
    const path = hostPath(root, parts.slice(0, count))
    try {
      const way = relative(root.realPath(), textOf(realpathSync.native(path, 'buffer')))
      if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) {
        leadsAway(parameter, `${path.toString()} leads to ${way} from the root "${root.name}".`)
      }
      return [...way.split(sep).filter((name) => name !== ''), ...parts.slice(count)]
    } catch (error) {
      const code = codeOf(error)
      if (code === 'ELOOP' || (code === 'ENOENT' && isLink(path))) {
        leadsAway(parameter, `${path.toString()} is a link that leads nowhere.`)
      }
      if (code !== 'ENOENT') throw systemError(error, parameter, 'no')
    }
  }
  return parts
}

function leadsAway(parameter: string, reason: string): never {
  const message = `"${parameter}" leads through a link that does not end inside the root.`
  return refuse('symlink', parameter, message, reason)
}

function isLink(path: string | Buffer): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}

function textOf(path: Buffer): string {
  const text = path.toString('utf8')
  if (!text.includes('\uFFFD')) return text
  const names = path.toString('latin1').split('/')
  return names.map((name) => nameText(Buffer.from(name, 'latin1'))).join('/')
}
