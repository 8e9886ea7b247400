import { resolve } from 'node:path'

import type { CliOptions } from '../options.ts'

/** The options of the adapter with what they mean when left out. */
export interface Settings {
  readonly options: CliOptions
  readonly workspace: string
  readonly searchPath: string
}

export function settingsOf(options: CliOptions): Settings {
  return {
    options,
    // Once, here: below it is the folder that relative paths are relative to.
    workspace: resolve(options.workspace ?? ''),
    searchPath: options.path ?? process.env['PATH'] ?? '',
  }
}
