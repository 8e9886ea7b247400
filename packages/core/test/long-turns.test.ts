import { describe, expect, it } from 'vitest'

import { gatewayOf, tool } from './tools.ts'

const many = Array.from({ length: 3000 }, (_, index) => tool(`get_item_of_list_${index}`, () => 1))

describe('a long turn', () => {
  it('of names that no tool has says of the first twenty what is like them', async () => {
    const gateway = gatewayOf(many)
    const toolCalls = Array.from({ length: 300 }, (_, index) => ({
      id: `c${index}`,
      name: `get_itm_of_list_${index}`,
      arguments: {},
    }))
    const { results } = await gateway.runTurn({ toolCalls })
    expect(new Set(results.map(({ error }) => error?.code))).toEqual(new Set(['tool_not_found']))
    const told = results.map(({ error }) => error?.hint?.startsWith('Did you mean') === true)
    expect(told.indexOf(false)).toBe(20)
    expect(told.slice(20)).not.toContain(true)
  })

  it.each([
    ['one after another', {}],
    ['at the same time', { effects: { readOnly: true } }],
  ] as const)('of tools that answer at once hears a stop: %s', async (_how, effects) => {
    let ran = 0
    const work = (): number => {
      const until = performance.now() + 1
      while (performance.now() < until);
      return ++ran
    }
    const gateway = gatewayOf([tool('work', work, effects)])
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 30)
    const toolCalls = Array.from({ length: 1000 }, (_, index) => ({
      id: `c${index}`,
      name: 'work',
      arguments: { index },
    }))
    const { results } = await gateway.runTurn({ toolCalls }, { signal: stop.signal })
    expect(results).toHaveLength(1000)
    expect(results.at(-1)?.status).toBe('cancelled')
    expect(ran).toBeLessThan(1000)
  })
})
