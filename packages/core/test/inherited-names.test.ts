import { describe, expect, it } from 'vitest'

import { gatewayOf, tool } from './tools.ts'

const gateway = gatewayOf([tool('__proto__', () => 1)])

async function toolsOf(name: string, args: object): Promise<unknown> {
  const { data } = await gateway.dispatch({ name, arguments: args })
  return Object.getOwnPropertyDescriptor((data as { tools: object }).tools, '__proto__')?.value
}

describe('a tool named __proto__', () => {
  it('is described', async () => {
    const described = await toolsOf('tool_describe', { names: ['local::__proto__'] })
    expect(described).toMatchObject({ id: 'local::__proto__' })
  })

  it('is found', async () => {
    const found = await toolsOf('tool_search', { queries: ['does proto'] })
    expect(found).toMatchObject({ id: 'local::__proto__' })
  })
})

describe('a context', () => {
  it.each(['constructor', 'toString', '__proto__'])('may have a field %s', async (name) => {
    const context = JSON.parse(`{"${name}":{"a":1}}`) as object
    const echo = gatewayOf([tool('echo', (args) => args)])
    expect((await echo.dispatch({ name: 'echo', arguments: {} }, context)).status).toBe('ok')
  })
})
