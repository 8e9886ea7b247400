import { Buffer } from 'node:buffer'

import { editableText, type EditableText } from '../edit/editable-text.ts'
import { findEdits, lineEndsIn, type Change, type EditRequest } from '../edit/find-edits.ts'
import { fail, refuse } from '../guard/refuse.ts'
import { hashOf } from '../read/content-hash.ts'
import { changeFile } from '../write/change-file.ts'
import { currentContent } from '../write/current-content.ts'
import { replaceFile } from '../write/replace-file.ts'
import { checkUnchanged, conflict } from '../write/unchanged.ts'
import { output, type Operation } from './operation.ts'
import { hashSchema, pathSchema } from './schemas.ts'

/** Data of an edit. */
export interface EditResult {
  readonly path: string
  readonly size: number
  /** How many places were replaced, and the lines in which they are now, a hundred at most. */
  readonly replaced: number
  readonly lines: readonly number[]
  readonly hash: string
}

export const edit: Operation = {
  name: 'edit',
  description:
    'Replaces exact texts in a file, several at once: all of them or, if one does not fit, none. Needs the hash that read gave; when somebody changed the file since, nothing is done and the new hash is told. Everything else in the file stays as it is.',
  properties: {
    path: pathSchema,
    hash: hashSchema,
    edits: {
      type: 'array',
      minItems: 1,
      description: 'Each is looked for in the file as it is before all of them.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['old', 'new'],
        properties: {
          old: {
            type: 'string',
            minLength: 1,
            description: 'Text that is in the file, with its blanks and line ends.',
          },
          new: { type: 'string', description: 'What stands there instead.' },
          count: {
            type: 'integer',
            minimum: 1,
            description:
              'How often the old text is in the file, if more than once; all are replaced.',
          },
        },
      },
    },
  },
  required: ['path', 'hash', 'edits'],
  effects: { idempotent: false, destructive: true },
  riskLevel: 'low',
  paths: { path: 'write' },
  run: (call) =>
    changeFile({ call, parameter: 'path', create: false }, async (spot, before, path) => {
      if (before === undefined) fail('not-found', 'path', 'There is no such file.')
      const edits = editsOf(call.args['edits'])
      const content = currentContent(spot, call.shared.limits.editBytes)
      const found = hashOf(content)
      if (found !== call.args['hash']) conflict(found)
      const source = editableText(content)
      const changes = await findEdits(source.text, edits, call.context.signal)
      const { quota } = call.shared
      const changed = apply(content, source, changes, (bytes) => quota.checkSize(bytes, 'edits'))
      quota.take(changed.length, false)
      const confirm = (): void => checkUnchanged(spot, before, found, call.shared.limits.editBytes)
      await replaceFile(spot, before, [changed], call.context.signal, { confirm })
      const result: EditResult = {
        path,
        size: changed.length,
        replaced: changes.length,
        lines: linesAfter(source.text, changes),
        hash: hashOf(changed),
      }
      return output(
        result,
        `[replaced ${result.replaced}, in lines ${result.lines.join(', ')}; hash ${result.hash}]`,
      )
    }),
}

function editsOf(value: unknown): readonly EditRequest[] {
  // A narrower schema of a declared tool may have let through less than this needs.
  const edits = Array.isArray(value) ? (value as readonly Partial<EditRequest>[]) : []
  return edits.map(({ old = '', new: text = '', count }) => {
    if (old === '') refuse('type', 'edits', 'An edit needs an old text.')
    if (!text.isWellFormed()) {
      refuse('unicode-invalid', 'edits', 'A new text holds half of a surrogate pair.')
    }
    return { old, new: text, ...(count === undefined ? {} : { count }) }
  })
}

/** Bytes outside the changes are taken over, not written anew. */
function apply(
  content: Buffer,
  { text, encode }: EditableText,
  changes: readonly Change[],
  checkSize: (bytes: number) => void,
): Buffer {
  const texts = new Set(changes.map((change) => change.text))
  const encoded = new Map([...texts].map((each) => [each, encode(each)]))
  const pieces: Buffer[] = []
  let size = content.length
  let place = 0
  let byte = 0
  for (const { start, end, text: replacement } of changes) {
    const bytes = encoded.get(replacement) ?? encode(replacement)
    const kept = encode(text.slice(place, start)).length
    const replaced = encode(text.slice(start, end)).length
    pieces.push(content.subarray(byte, byte + kept), bytes)
    size += bytes.length - replaced
    byte += kept + replaced
    place = end
  }
  // Before the pieces are put together: many small places make a large file of one long text.
  checkSize(size)
  return Buffer.concat([...pieces, content.subarray(byte)])
}

/** Lines that are told; a model that replaces more does not read them all. */
const maxLines = 100

function linesAfter(text: string, changes: readonly Change[]): readonly number[] {
  let line = 1
  let place = 0
  return changes.slice(0, maxLines).map(({ start, end, text: replacement }) => {
    line += lineEndsIn(text, place, start)
    const changed = line
    line += lineEndsIn(replacement, 0, replacement.length)
    place = end
    return changed
  })
}
