import { cliAdapter } from '@callgate/adapter-cli'
import { createGateway } from '@callgate/core'

const gateway = createGateway({
  adapters: [cliAdapter({ programs: ['grep'], workspace: import.meta.dirname })],
  tools: [
    {
      namespace: 'local',
      name: 'search_file',
      description: 'Finds the lines of a text file that hold a pattern.',
      parameters: {
        type: 'object',
        properties: { pattern: { type: 'string' }, file: { type: 'string' } },
        required: ['pattern', 'file'],
      },
      effects: { readOnly: true },
      backend: {
        adapter: 'cli',
        command: 'grep',
        argsTemplate: ['-n', '-e', '{pattern}', '--', '{file}'],
        arguments: { pattern: { optionValue: true }, file: { kind: 'path' } },
      },
    },
  ],
})
await gateway.start()

for (const file of ['notes.txt', '../../../etc/passwd']) {
  const call = { id: file, name: 'search_file', arguments: { pattern: '-v', file } }
  const { status, content, error } = await gateway.dispatch(call)
  console.log(status, error?.rule ?? content)
}
await gateway.close()
