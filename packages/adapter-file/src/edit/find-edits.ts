import { setImmediate } from 'node:timers/promises'

import { fail, throwIfAborted } from '../guard/refuse.ts'
import { nearLines } from './near-lines.ts'
import { textFinder } from './text-finder.ts'

/** Places that one edit may replace. */
const maxPlaces = 10_000

/** Milliseconds after which others have their turn. */
const maxBusyMs = 10

/** One replacement as the model asks for it. */
export interface EditRequest {
  readonly old: string
  readonly new: string
  /** How often the old text must be there; all of them are replaced. Default: 1. */
  readonly count?: number
}

/** A stretch of text that is replaced. */
export interface Change {
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * Finds what several edits replace, all in the text as it is before any of them (C8). What else the process does goes on
 * meanwhile.
 *
 * Gives the changes in the order of the text. In a text whose lines end with CRLF, an edit that is written with LF is
 * read with CRLF, also where its new text alone has more than one line.
 *
 * @throws ToolError `tool_failed` no-match, several-matches or overlap, which name the edit by its number, from 1;
 * `cancelled` when the signal stops it.
 */
export async function findEdits(
  text: string,
  edits: readonly EditRequest[],
  signal: AbortSignal,
): Promise<readonly Change[]> {
  const changes: Change[] = []
  const taken = new Uint8Array(text.length)
  let restedAt = performance.now()
  for (const [index, edit] of edits.entries()) {
    for (const change of changesOf(text, edit, index + 1)) {
      takeOnce(text, taken, change)
      changes.push(change)
    }
    if (performance.now() - restedAt < maxBusyMs) continue
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await setImmediate()
    throwIfAborted(signal)
    restedAt = performance.now()
  }
  return changes.toSorted((one, other) => one.start - other.start)
}

/** Marks what a change replaces, at once, so that no more changes are gathered than the text has room for. */
function takeOnce(text: string, taken: Uint8Array, { start, end }: Change): void {
  const place = taken.subarray(start, end)
  const inside = place.indexOf(1)
  if (inside === -1) {
    place.fill(1)
    return
  }
  const line = lineAt(text, start + inside)
  fail('overlap', 'edits', `Two edits concern the same text in line ${line}.`)
}

function changesOf(text: string, edit: EditRequest, number: number): readonly Change[] {
  const wanted = edit.count ?? 1
  const asWritten = placesOf(text, edit.old)
  const { places, request } =
    asWritten.length === 0
      ? withCrlf(text, edit)
      : { places: asWritten, request: endingAsIn(text, edit) }
  if (places.length === wanted) {
    return places.map((start) => ({ start, end: start + request.old.length, text: request.new }))
  }
  return places.length === 0
    ? noMatch(text, edit, number)
    : otherCount(text, places, wanted, number)
}

function noMatch(text: string, edit: EditRequest, number: number): never {
  const near = nearLines(text, edit.old)
  const shown = near.map((each) => `line ${each.line}: ${JSON.stringify(each.text)}`).join('; ')
  const hint = near.length === 0 ? '' : ` Near it: ${shown}.`
  const message = `Edit ${number}: the old text is not in the file.${hint}`
  return fail('no-match', 'edits', message, { near })
}

function otherCount(
  text: string,
  places: readonly number[],
  wanted: number,
  number: number,
): never {
  const lines = places.slice(0, 10).map((place) => lineAt(text, place))
  const count = places.length > maxPlaces ? `more than ${maxPlaces}` : String(places.length)
  const message = `Edit ${number}: the old text is there ${count} times, not ${wanted}: lines ${lines.join(', ')}. Give more text around it, or count.`
  return fail('several-matches', 'edits', message, { count: places.length, lines })
}

function withCrlf(
  text: string,
  edit: EditRequest,
): { readonly places: readonly number[]; readonly request: EditRequest } {
  const isCrlf = text.includes('\r\n') && edit.old.includes('\n') && !edit.old.includes('\r')
  if (!isCrlf) return { places: [], request: edit }
  const request = { ...edit, old: asCrlf(edit.old), new: asCrlf(edit.new) }
  return { places: placesOf(text, request.old), request }
}

/** Where all lines end with CRLF, lines that come in place of a part of one do too. */
function endingAsIn(text: string, edit: EditRequest): EditRequest {
  const isWithLf = edit.new.includes('\n') && !edit.new.includes('\r') && !/[\r\n]/.test(edit.old)
  if (!isWithLf || !text.includes('\r\n') || /(?<!\r)\n/.test(text)) return edit
  return { ...edit, new: asCrlf(edit.new) }
}

function asCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n')
}

/** Where a text is found, without overlaps; one more than the limit where there are more. */
function placesOf(text: string, wanted: string): readonly number[] {
  const places: number[] = []
  const find = textFinder(text, wanted)
  let at = find(0)
  while (at !== -1 && places.length <= maxPlaces) {
    places.push(at)
    at = find(at + wanted.length)
  }
  return places
}

/** The number of the line in which a character is, from 1. */
function lineAt(text: string, place: number): number {
  return 1 + lineEndsIn(text, 0, place)
}

/** How many lines end between two characters. */
export function lineEndsIn(text: string, from: number, to: number): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) {
    count += 1
  }
  return count
}
