import { cliAdapter } from '@callgate/adapter-cli'
import { createGateway } from '@callgate/core'

const gateway = createGateway({
  adapters: [
    cliAdapter({
      workspace: import.meta.dirname,
      exec: {
        programs: ['cat', { program: 'wc', options: ['-l', '-w'] }],
      },
    }),
  ],
})
await gateway.start()

for (const args of [['-l', 'notes.txt'], ['--files0-from=/etc/passwd']]) {
  const call = { id: 'call', name: 'cli::exec_command', arguments: { command: 'wc', args } }
  const { status, content, error } = await gateway.dispatch(call)
  console.log(status, error?.message ?? content)
}
await gateway.close()
