import { createHookBus, type HookBus } from '@callgate/hooks'
import type { CallgateEvents } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { gatewayOf, tool } from './tools.ts'

const busOf = (): HookBus<CallgateEvents> => createHookBus<CallgateEvents>()
const echo = tool('echo', (args) => args)

describe('a hook that only records', () => {
  it('changes no arguments, for the tool and for the hooks after it', async () => {
    const hooks = busOf()
    const transform = { kind: 'transform' } as const
    const recorded = { ...transform, auditOnly: true }
    hooks.on('pre_tool_call', () => ({ action: 'modify', args: { a: 2 } }), recorded)
    hooks.on('pre_tool_call', () => ({ action: 'modify', args: { b: 3 } }), transform)
    hooks.on('pre_tool_call', () => ({ action: 'modify', args: { c: 4 } }), recorded)
    const seen: unknown[] = []
    hooks.on('pre_tool_call', (payload) => void seen.push(payload.arguments))
    const result = await gatewayOf([echo], { hooks }).dispatch({
      name: 'echo',
      arguments: { a: 1 },
    })
    expect(result.data).toEqual({ a: 1, b: 3 })
    expect(seen).toEqual([{ a: 1, b: 3 }])
  })

  it('leaves the arguments alone where no other hook changes them', async () => {
    const hooks = busOf()
    hooks.on('pre_tool_call', () => ({ action: 'modify', args: { a: 2 } }), {
      kind: 'transform',
      auditOnly: true,
    })
    const result = await gatewayOf([echo], { hooks }).dispatch({
      name: 'echo',
      arguments: { a: 1 },
    })
    expect(result.data).toEqual({ a: 1 })
  })

  it('hides no tool', () => {
    const hooks = busOf()
    hooks.on('tools_listed', () => ({ action: 'modify', hide: ['local::echo'] }), {
      auditOnly: true,
    })
    expect(gatewayOf([echo], { hooks }).registry.list()).toHaveLength(1)
  })

  it('hides no tool when it answers later', () => {
    const hooks = busOf()
    hooks.on('tools_listed', async () => {}, { auditOnly: true })
    expect(gatewayOf([echo], { hooks }).registry.list()).toHaveLength(1)
  })
})

describe('hooks that hide tools', () => {
  it('hide what each of them names', () => {
    const hooks = busOf()
    hooks.on('tools_listed', () => ({ action: 'modify', hide: ['local::a'] }))
    hooks.on('tools_listed', () => ({ action: 'modify', hide: ['local::b'] }))
    const tools = ['a', 'b', 'c'].map((name) => tool(name, () => 1))
    const names = gatewayOf(tools, { hooks })
      .registry.list()
      .map(({ name }) => name)
    expect(names).toEqual(['c'])
  })
})
