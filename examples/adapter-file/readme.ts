import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { fileAdapter } from '@callgate/adapter-file'
import { createGateway } from '@callgate/core'

const path = await mkdtemp(join(tmpdir(), 'workspace-'))
const gateway = createGateway({
  adapters: [fileAdapter({ roots: { workspace: { path, write: true, deny: ['.git/**'] } } })],
})
await gateway.start()

const calls = [
  { name: 'file::write', arguments: { path: 'src/hello.ts', content: 'let a = 1\nlet b = 2\n' } },
  { name: 'file::search', arguments: { pattern: '^let b', glob: '*.ts' } },
  { name: 'file::read', arguments: { path: 'src/hello.ts', line: 2 } },
  { name: 'file::read', arguments: { path: '../../etc/passwd' } },
  { name: 'file::write', arguments: { path: '.git/hooks/pre-commit', content: 'rm -rf ~' } },
]
for (const call of calls) {
  const { status, content, error } = await gateway.dispatch(call)
  const texts = content.map((part) => (part.type === 'text' ? part.text.trim() : part.type))
  console.log(status, error === undefined ? texts.join(' ') : `${error.rule}: ${error.message}`)
}
await gateway.close()
await rm(path, { recursive: true })
