import { textOf } from '../json.ts'
import type { LoadedDocument, LoadedSchema } from '../schema/model.ts'
import { note, type Place } from './place.ts'

/** A schema in the words of a provider. */
export type Shown = Record<string, unknown>

/** One schema on its way to the model; what the shown one no longer says is noted. */
export interface Showing extends Place {
  /** The definitions that references lead to. */
  readonly defs: LoadedDocument['defs']
  /** References that are being written out in place. */
  readonly open: ReadonlySet<string>
  /** References that are shown as such. */
  readonly referred: Set<string>
  /** Characters that may still be written, wherever; what comes after is left out. */
  readonly budget: { left: number }
  /** Writes one schema. */
  readonly show: (showing: Showing, schema: LoadedSchema) => Shown
}

/** What stands for what cannot be written: text, since that is what all take and coercion reads back. */
export function asText(showing: Showing, why: string, description?: unknown, of = ''): Shown {
  note(showing, why)
  return describe({ type: 'string', description }, `JSON text${of}`)
}

/** Appends to the description, in parentheses. */
export function describe(shown: Shown, text: string): Shown {
  return { ...shown, description: `${textOf(shown['description'])} (${text})`.trim() }
}
