import { createGateway, defineTool } from '@callgate/core'

const erase = defineTool({
  namespace: 'disk',
  name: 'erase',
  description: 'Erases a disk.',
  parameters: { type: 'object', properties: { disk: { type: 'string' } }, required: ['disk'] },
  permissions: { riskLevel: 'high', requiresApproval: true },
  effects: { destructive: true },
  execute: () => 'erased',
})
const { status, error } = await createGateway({ tools: [erase] }).dispatch({
  name: 'disk::erase',
  arguments: { disk: 'sdb' },
})
console.log(status, error?.code, error?.message)
console.log(error?.hint)
