import { openFolder, openSpot } from '../guard/parent.ts'
import { parsePath } from '../path/parse-path.ts'
import { syncFolder } from '../write/replace-file.ts'
import { output, type Operation } from './operation.ts'

export const mkdir: Operation = {
  name: 'mkdir',
  description: 'Makes a folder and those above it. A folder that is there already is no fault.',
  properties: { path: { type: 'string', description: 'Folder relative to the root.' } },
  required: ['path'],
  effects: { idempotent: true },
  paths: { path: 'write' },
  async run({ root, args }) {
    const path = parsePath(args['path'], 'path')
    const { folder: parent, parts } = openSpot({ root, path, parameter: 'path', create: true })
    try {
      openFolder(root, parts, 'path', true).close()
      await syncFolder(parent)
    } finally {
      parent.close()
    }
    return output({ path: path.text }, `[the folder ${path.text} is there]`)
  },
}
