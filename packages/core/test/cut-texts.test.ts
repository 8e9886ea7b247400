import { describe, expect, it } from 'vitest'

import { gatewayOf, tool } from './tools.ts'

describe('a text that is cut in the middle of a pair', () => {
  it('is whole in the message of an error', async () => {
    const failing = tool('failing', () => {
      throw new Error(`${'x'.repeat(399)}😀 and more`)
    })
    const { error } = await gatewayOf([failing]).dispatch({ name: 'failing', arguments: {} })
    expect(error?.message).toBe(`${'x'.repeat(399)}…`)
  })

  it('is whole in what tool_search says of a tool, and in the catalogue', async () => {
    const described = (length: number) =>
      tool(`long${length}`, () => 1, {
        description: `Finds ${'x'.repeat(length - 7)}😀 and more\r\nlines`,
        deferred: true,
      })
    const gateway = gatewayOf([described(500), described(120)])
    const search = { name: 'tool_search', arguments: { queries: ['finds'] } }
    const { data } = await gateway.dispatch(search)
    expect(JSON.stringify(data)).not.toContain(String.raw`\ud83d`)
    expect(JSON.stringify(gateway.modelTools())).not.toMatch(/\\ud83d|\\r/)
  })
})
