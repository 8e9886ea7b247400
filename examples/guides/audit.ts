import { setTimeout as wait } from 'node:timers/promises'

import { createGateway, defineTool, memoryAudit } from '@callgate/core'

const fetchPage = defineTool({
  namespace: 'local',
  name: 'fetch_page',
  description: 'Fetches a page.',
  parameters: {
    type: 'object',
    properties: { page: { type: 'string' }, ms: { type: 'integer' } },
    required: ['page', 'ms'],
  },
  effects: { readOnly: true },
  execute: async ({ page, ms }) => {
    await wait(Number(ms))
    return `the text of ${String(page)}`
  },
})
const publish = defineTool({
  namespace: 'local',
  name: 'publish',
  description: 'Publishes a page.',
  parameters: { type: 'object', properties: { page: { type: 'string' } }, required: ['page'] },
  confirm: true,
  execute: () => 'published',
})

const audit = memoryAudit()
const gateway = createGateway({
  tools: [fetchPage, publish],
  ports: { audit },
  approver: async () => ({ decision: 'approve' }),
})
const toolCalls = [
  { id: 'slow', name: 'fetch_page', arguments: { page: 'a', ms: 200 } },
  { id: 'fast', name: 'fetch_page', arguments: { page: 'b', ms: '1' } },
  { id: 'asked', name: 'publish', arguments: { page: 'a' } },
  { id: 'wrong', name: 'publish', arguments: {} },
]
await gateway.runTurn({ toolCalls }, { sessionId: 's1', user: 'ann' })

type Line = { callId: string; status: string; code?: string; repairs?: []; notes?: object[] }
for (const { callId, status, code, repairs = [], notes = [] } of audit.entries() as Line[]) {
  const decisions = notes.map((note) => ('decision' in note ? note.decision : note))
  console.log(callId, code ?? status, ...repairs, ...decisions)
}
