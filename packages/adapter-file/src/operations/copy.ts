import { openFile } from '../guard/open-file.ts'
import { openSpot } from '../guard/parent.ts'
import { parsePath } from '../path/parse-path.ts'
import { chunksFrom, withDescriptor } from '../read/bytes.ts'
import { lockKey } from '../write/change-file.ts'
import { inTurn, inTurnOrStop } from '../write/locks.ts'
import { replaceFile } from '../write/replace-file.ts'
import { checkFree } from './move.ts'
import { output, type Operation, type OperationCall } from './operation.ts'
import { overwriteSchema, pathSchema } from './schemas.ts'

export const copy: Operation = {
  name: 'copy',
  description:
    'Copies a file within the root, and makes the folders it needs. A file at the new place is not replaced unless overwrite is given.',
  properties: { from: pathSchema, to: pathSchema, overwrite: overwriteSchema },
  required: ['from', 'to'],
  effects: { idempotent: true, destructive: true },
  riskLevel: 'low',
  paths: { from: 'read', to: 'write' },
  async run(call) {
    const { root, args, context } = call
    const [from, to] = [parsePath(args['from'], 'from'), parsePath(args['to'], 'to')]
    const { fd, stat } = openFile(root, from, 'from')
    const { size } = stat
    await withDescriptor(fd, () => copyTo(call, chunksFrom(fd, 0, context.signal), size))
    return output(
      { from: from.text, to: to.text, size },
      `[copied ${from.text} to ${to.text}; ${size} bytes]`,
    )
  },
}

async function copyTo(
  { root, args, context, shared }: OperationCall,
  content: AsyncIterable<Uint8Array>,
  size: number,
): Promise<void> {
  const path = parsePath(args['to'], 'to')
  const target = openSpot({ root, path, parameter: 'to', create: true })
  try {
    const work = async (): Promise<void> => {
      const replace = args['overwrite'] === true
      const before = checkFree(target, replace)
      shared.quota.take(size, before === undefined, 'to')
      await replaceFile(target, before, content, context.signal, { replace })
    }
    await inTurnOrStop(context.signal, (begin) => inTurn(lockKey(target), () => begin(work)))
  } finally {
    target.folder.close()
  }
}
