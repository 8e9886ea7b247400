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
    workspace: options.workspace ?? process.cwd(),
    searchPath: options.path ?? process.env['PATH'] ?? '',
  }
}
