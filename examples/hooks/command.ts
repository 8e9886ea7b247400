import { createHookBus } from '@callgate/hooks'
import { commandHook } from '@callgate/hooks/command'

interface Events {
  pre_tool_call: {
    payload: { tool: string; arguments: object }
    gate: { action: 'allow' | 'ask' } | { action: 'block'; message?: string } | void
  }
}

const bus = createHookBus<Events>()
bus.declare('pre_tool_call', { kind: 'gate', fault: 'block' })
const guard = `${import.meta.dirname}/guard.mjs`
bus.on(
  'pre_tool_call',
  commandHook({ command: process.execPath, args: [guard], matcher: 'write_.*' }),
)

for (const path of ['/workspace/notes.md', '/etc/passwd']) {
  const call = { tool: 'local::write_file', arguments: { path } }
  const { decision, blockedBy } = await bus.run('pre_tool_call', call)
  console.log(path, blockedBy?.message ?? decision)
}
