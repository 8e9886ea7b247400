import { createGateway, defineTool } from '@callgate/core'
import { createHookBus } from '@callgate/hooks'
import type { CallgateEvents } from '@callgate/spec'

const hooks = createHookBus<CallgateEvents>()
hooks.on(
  'pre_tool_call',
  ({ arguments: args }) =>
    String(args['path']).startsWith('/etc/')
      ? { action: 'block', message: 'Nothing in /etc, please.' }
      : undefined,
  { id: 'not-etc', match: 'local::*' },
)

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
