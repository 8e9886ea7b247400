import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { sample } from './attacks.ts'

/** What stands in the file outside; seen in an answer, it leaked. */
export const secret = 'SECRET-of-the-folder-outside'

/** A root with links of all kinds to a folder beside it. */
export interface ThrowAway {
  readonly root: string
  /** Whether the folder beside it is as it was. */
  isOutsideWhole(): boolean
  remove(): void
}

export function throwAway(): ThrowAway {
  const folder = mkdtempSync(join(tmpdir(), 'callgate-check-'))
  const [root, outside] = [join(folder, 'root'), join(folder, 'out')]
  mkdirSync(join(root, 'sub'), { recursive: true })
  mkdirSync(outside)
  writeFileSync(join(outside, 'secret'), secret)
  writeFileSync(join(root, sample), 'sample')
  tryTo(() => symlinkSync(join(outside, 'secret'), join(root, 'link-file')))
  tryTo(() => symlinkSync('../out', join(root, 'link-folder')))
  tryTo(() => symlinkSync(join(outside, 'new'), join(root, 'link-new')))
  tryTo(() => linkSync(join(outside, 'secret'), join(root, 'hard')))
  return {
    root,
    isOutsideWhole() {
      const names = readdirSync(outside)
      const isAlone = names.length === 1 && names[0] === 'secret'
      return isAlone && readFileSync(join(outside, 'secret'), 'utf8') === secret
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}

/** Not every user and file system may make links; what is not there cannot be followed either. */
function tryTo(make: () => void): void {
  try {
    make()
  } catch {
    // The probe will say not-found.
  }
}
