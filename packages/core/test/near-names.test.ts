import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { gatewayOf, tool } from './tools.ts'

const big = gatewayOf(
  Array.from({ length: 10_000 }, (_, n) => tool(`tool_name_number_${n}`, () => 1)),
)

async function hintFor(name: string): Promise<string> {
  return (await big.dispatch({ name, arguments: {} })).error?.hint ?? ''
}

describe('a name that is almost one of ten thousand', () => {
  it('is met by the right one, with letters changed, left out, added and changed round', async () => {
    for (const name of [
      'tool_name_number_77x7',
      'tool_name_numbr_777',
      'tool_nmae_number_777',
      'Tool-Name-Number-777',
    ]) {
      expect(await hintFor(name)).toMatch(/tool_name_number_77/)
    }
    expect(await hintFor('something_else_altogether')).toMatch(/tool_search/)
  })

  it('is met for each call of a turn', async () => {
    const { results } = await big.runTurn({
      toolCalls: Array.from({ length: 20 }, (_, n) => ({
        id: `c${n}`,
        name: `tool_naem_number_${n}`,
        arguments: {},
      })),
    })
    for (const [n, { error }] of results.entries()) {
      expect(error?.hint).toContain(`tool_name_number_${n}`)
    }
  })

  it('is met where the right one ends in a hash', async () => {
    const gateway = gatewayOf([tool('get-sum', () => 1)])
    const { error } = await gateway.dispatch({ name: 'get_sum', arguments: {} })
    expect(error?.hint).toContain('local::get-sum')
  })

  it('is never the name of a tool that is far from it', async () => {
    const gateway = gatewayOf([tool('read_file', () => 1)])
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 40 }), async (name) => {
        const { error } = await gateway.dispatch({ name, arguments: {} })
        if (error?.hint?.includes('read_file') === true) {
          expect(Math.abs(name.length - 'read_file'.length)).toBeLessThan(12)
        }
      }),
      { numRuns: 200 },
    )
  })
})
