import { homedir } from 'node:os'

import { anchored } from '../guard/open-entry.ts'
import type { Operation } from '../operations/operation.ts'
import { isChange } from '../operations/operations.ts'
import type { FileLimits } from '../options.ts'
import type { Root } from '../roots/root.ts'
import type { FileWeakness } from './report.ts'

/** What a declaration leaves open: for the operator to judge (G1). */
export function weaknessesOf(
  operation: Operation,
  root: Root,
  limits: FileLimits = {},
): readonly FileWeakness[] {
  const found = [...ofRoot(root), ...(isChange(operation) ? ofWriting(root, limits) : [])]
  return found.map(([rule, message]) => ({ rule, root: root.name, message }))
}

type Finding = readonly [rule: string, message: string]

function ofRoot({ declaredPath, links, hardLinks }: Root): readonly Finding[] {
  const found: Finding[] = []
  if (declaredPath === '/' || declaredPath === homedir()) {
    found.push(['wide-root', 'The root is the whole disk or the home of a user.'])
  }
  if (hardLinks === 'read') {
    found.push(['hard-links', 'A file with a second name outside the root can be read.'])
  }
  if (links === 'inside') {
    found.push(['links', 'Links inside the root are followed, so one file has several paths.'])
  }
  if (!anchored) {
    found.push(['by-name', 'This platform cannot say where an open file lies; names are compared.'])
  }
  return found
}

function ofWriting({ isDenied }: Root, limits: FileLimits): readonly Finding[] {
  const found: Finding[] = []
  if (!isDenied(['.git', 'hooks', 'post-checkout'])) {
    found.push([
      'git-writable',
      'It can write .git, whose hooks and settings git runs; deny ".git/**".',
    ])
  }
  if (limits.writtenBytes === undefined || limits.createdFiles === undefined) {
    found.push(['no-quota', 'Nothing limits how much all calls together write.'])
  }
  return found
}
