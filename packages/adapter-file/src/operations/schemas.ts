import type { JsonSchema } from '@callgate/spec'

export const pathSchema: JsonSchema = {
  type: 'string',
  description: 'Path relative to the root, with "/" between names, such as "src/main.ts".',
}

export const folderSchema: JsonSchema = {
  type: 'string',
  description: 'Folder relative to the root. Default: ".", the root itself.',
}

/** Whether names that begin with a dot are shown. */
export function hiddenSchema(byDefault: boolean): JsonSchema {
  return {
    type: 'boolean',
    description: `Whether names that begin with a dot are shown. Default: ${byDefault}.`,
  }
}

export const ignoredSchema: JsonSchema = {
  type: 'boolean',
  description: 'Also look at what .gitignore and .ignore leave out. Default: false.',
}

/** A whole number. */
export function countSchema(description: string, minimum = 1): JsonSchema {
  return { type: 'integer', minimum, description }
}

export const hashSchema: JsonSchema = {
  type: 'string',
  description: 'The hash that read, stat or the last change of this file gave.',
}

export const overwriteSchema: JsonSchema = {
  type: 'boolean',
  description: 'Whether a file at the new place is replaced. Default: false.',
}
