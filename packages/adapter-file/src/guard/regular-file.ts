import type { Stats } from 'node:fs'

import type { Root } from '../roots/root.ts'
import { checkNoLink } from './locate.ts'
import { fail, refuse } from './refuse.ts'

/** What is read must be a file with one name, unless the root permits more. */
export function checkReadable(stat: Stats, root: Root, parameter: string): void {
  if (stat.isDirectory()) fail('not-a-file', parameter, 'It is a folder; list shows what is in it.')
  if (root.hardLinks === 'deny') checkOneName(stat, parameter)
}

/** What is replaced must be a file with one name: the others would keep the old content, or lie outside. */
export function checkReplaceable(stat: Stats, parameter: string): void {
  checkNoLink(stat, parameter)
  if (stat.isDirectory()) fail('not-a-file', parameter, 'It is a folder.')
  if (!stat.isFile()) {
    refuse('special-file', parameter, `"${parameter}" is a pipe, socket or device.`)
  }
  checkOneName(stat, parameter)
}

function checkOneName(stat: Stats, parameter: string): void {
  if (stat.nlink > 1) {
    refuse(
      'hardlink',
      parameter,
      `"${parameter}" has another name (hard link) that may lie outside the root.`,
    )
  }
}
