import { openWhere } from '../guard/open-file.ts'
import { checkReadable } from '../guard/regular-file.ts'
import { parsePath } from '../path/parse-path.ts'
import { withDescriptor } from '../read/bytes.ts'
import { output, type Operation } from './operation.ts'
import { pathSchema } from './schemas.ts'

/** Data about one file or folder. */
export interface StatResult {
  readonly path: string
  readonly type: 'file' | 'folder'
  /** Bytes; of files alone. */
  readonly size?: number
  /** ISO 8601, UTC. */
  readonly modified: string
  /** Permissions as in `0644`. */
  readonly mode: string
  /** Version of the content; not of files that are too large to be edited. */
  readonly hash?: string
}

export const stat: Operation = {
  name: 'stat',
  description:
    'Tells about one file or folder: type, size, time of the last change, permissions, hash of the content.',
  properties: { path: pathSchema },
  required: ['path'],
  effects: { readOnly: true, idempotent: true },
  paths: { path: 'read' },
  async run({ root, args, context, shared }) {
    const path = parsePath(args['path'], 'path')
    const { stat: facts, fd } = openWhere(root, path, 'path', (found, open) => {
      if (!found.isFile()) return undefined
      checkReadable(found, root, 'path')
      return found.size <= shared.limits.editBytes ? open() : undefined
    })
    const isFile = facts.isFile()
    const hash =
      fd === undefined
        ? undefined
        : await withDescriptor(fd, () => shared.hashes.of(fd, facts, context.signal))
    const result: StatResult = {
      path: path.text,
      type: isFile ? 'file' : 'folder',
      ...(isFile ? { size: facts.size } : {}),
      modified: facts.mtime.toISOString(),
      mode: (facts.mode & 0o7777).toString(8).padStart(4, '0'),
      ...(hash === undefined ? {} : { hash }),
    }
    return output(result, JSON.stringify(result))
  },
}
