import { createGateway, defineTool } from '@callgate/core'
import { createHookBus } from '@callgate/hooks'
import { commandHook } from '@callgate/hooks/command'
import type { CallgateEvents } from '@callgate/spec'

const hooks = createHookBus<CallgateEvents>()
const script = `${import.meta.dirname}/guard.sh`
hooks.on('pre_tool_call', commandHook({ command: 'sh', args: [script] }), { id: 'not-etc' })

const read = defineTool({
  namespace: 'local',
  name: 'read',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  execute: ({ path }) => `the text of ${String(path)}`,
})
const gateway = createGateway({ tools: [read], hooks })
for (const path of ['/tmp/a', '/etc/passwd']) {
  const { status, data, error } = await gateway.dispatch({ name: 'read', arguments: { path } })
  console.log(status, error?.message ?? data)
}
