import { createGateway, defineTool } from '@callgate/core'
import type { ApprovalDecision } from '@callgate/spec'

const send = defineTool({
  namespace: 'mail',
  name: 'send',
  description: 'Sends a letter.',
  parameters: {
    type: 'object',
    properties: { to: { type: 'string' }, text: { type: 'string' } },
    required: ['to', 'text'],
  },
  confirm: true,
  confirmMessage: 'Send {text} to {to}?',
  execute: ({ to }) => `sent to ${String(to)}`,
})

// In place of a person: what is answered to each question.
const answers: ApprovalDecision[] = [
  { decision: 'deny', reason: 'Not on a Sunday.' },
  { decision: 'edit', arguments: { to: 'ann@example.com', text: 'Good morning' } },
  { decision: 'approve', scope: 'session' },
]
const gateway = createGateway({
  tools: [send],
  async approver(request) {
    console.log('?', request.message)
    return answers.shift() ?? { decision: 'deny' }
  },
})

const letter = { name: 'mail::send', arguments: { to: 'ann@example.com', text: 'Morning' } }
const edited = { name: 'mail::send', arguments: { to: 'ann@example.com', text: 'Good morning' } }
for (const call of [letter, letter, edited]) {
  const { status, data, error } = await gateway.dispatch(call, { sessionId: 's1' })
  console.log(status, error?.message ?? data)
}
