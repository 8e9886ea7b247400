import { createGateway, defineTool } from '@callgate/core'

const number = { type: 'number' } as const
const add = defineTool({
  namespace: 'local',
  name: 'add',
  description: 'Adds two numbers.',
  parameters: { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] },
  execute: ({ a, b }) => Number(a) + Number(b),
})
const { status, data, metadata } = await createGateway({ tools: [add] }).dispatch({
  name: 'add',
  arguments: '{"a":"40","b":2}',
})
console.log(status, data, metadata.repairs)
