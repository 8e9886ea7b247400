import { createGateway, defineTool } from '@callgate/core'
import { createHookBus } from '@callgate/hooks'
import type { CallgateEvents } from '@callgate/spec'

const id = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } as const
const read = defineTool({
  namespace: 'notes',
  name: 'read',
  description: 'Reads a note.',
  parameters: id,
  effects: { readOnly: true },
  execute: (args) => `note ${String(args['id'])}`,
})
const remove = defineTool({
  namespace: 'notes',
  name: 'remove',
  description: 'Removes a note for good.',
  parameters: id,
  effects: { destructive: true },
  execute: () => 'gone',
})

const hooks = createHookBus<CallgateEvents>()
hooks.on('pre_tool_call', ({ definition }) =>
  definition.effects?.destructive === true
    ? { action: 'block', message: 'Ask the user before you remove anything.' }
    : undefined,
)

const gateway = createGateway({ tools: [read, remove], hooks })
const { turn, results } = await gateway.runTurn({
  toolCalls: [
    {
      id: 'call_1',
      name: 'tool_call',
      arguments: JSON.stringify({
        calls: [
          { name: 'notes__read', arguments: { id: '7' } },
          { name: 'notes__remove', arguments: { id: 7 } },
        ],
      }),
    },
  ],
})
console.log(turn.toolCalls.length, 'calls')
for (const { callId, status, data, error } of results) {
  console.log(callId, status, error?.message ?? data)
}
