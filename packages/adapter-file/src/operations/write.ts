import { Buffer } from 'node:buffer'
import type { Stats } from 'node:fs'

import type { Spot } from '../guard/parent.ts'
import { fail, refuse } from '../guard/refuse.ts'
import { hashOf } from '../read/content-hash.ts'
import { changeFile } from '../write/change-file.ts'
import { currentContent } from '../write/current-content.ts'
import { replaceFile } from '../write/replace-file.ts'
import { checkUnchanged, conflict } from '../write/unchanged.ts'
import { output, textOf, type Operation, type OperationCall } from './operation.ts'
import { hashSchema, pathSchema } from './schemas.ts'

/** Data of a file that was written as a whole. */
export interface WriteResult {
  readonly path: string
  readonly size: number
  readonly created: boolean
  readonly hash: string
}

export const write: Operation = {
  name: 'write',
  description:
    'Writes a whole text file in UTF-8 and makes the folders it needs. What was there is replaced at once and entirely. Give the hash to replace only the version that you have read; to change parts of a file use edit.',
  properties: {
    path: pathSchema,
    content: { type: 'string', description: 'The whole new text.' },
    hash: hashSchema,
  },
  required: ['path', 'content'],
  effects: { idempotent: true, destructive: true },
  riskLevel: 'low',
  paths: { path: 'write' },
  async run(call) {
    const content = contentOf(call)
    // A version that was read lies in a folder that is there.
    const create = call.args['hash'] === undefined
    return changeFile({ call, parameter: 'path', create }, async (spot, before, path) => {
      const confirm = checkVersion(call, spot, before)
      call.shared.quota.take(content.length, before === undefined)
      await replaceFile(spot, before, [content], call.context.signal, { confirm })
      const created = before === undefined
      const result: WriteResult = { path, size: content.length, created, hash: hashOf(content) }
      const done = created ? 'created' : 'replaced'
      return output(result, `[${done}; ${result.size} bytes; hash ${result.hash}]`)
    })
  },
}

function contentOf({ args, shared }: OperationCall): Buffer {
  const text = textOf(args['content']) ?? ''
  if (!text.isWellFormed()) {
    refuse('unicode-invalid', 'content', 'The content holds half of a surrogate pair.')
  }
  const content = Buffer.from(text, 'utf8')
  shared.quota.checkSize(content.length, 'content')
  return content
}

/** A change of the content since it was read is a conflict (C8). Gives back what looks again before the end. */
function checkVersion(
  { args, shared }: OperationCall,
  spot: Spot,
  before: Stats | undefined,
): () => void {
  const expected = textOf(args['hash'])
  if (expected === undefined) return () => undefined
  if (before === undefined) {
    return fail('not-found', 'path', 'The file of which you gave the hash is not there.')
  }
  const found = hashOf(currentContent(spot, shared.limits.editBytes))
  if (found !== expected) conflict(found)
  return () => checkUnchanged(spot, before, expected, shared.limits.editBytes)
}
