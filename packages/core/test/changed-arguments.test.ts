import { createHookBus } from '@callgate/hooks'
import type { CallgateEvents } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { gatewayOf, tool } from './tools.ts'

describe('a hook that names a place by something else than a JSON pointer', () => {
  it('is refused with the pointer that it may have meant', async () => {
    const hooks = createHookBus<CallgateEvents>()
    hooks.on('pre_tool_call', () => ({ action: 'modify', set: { path: '/new' } }), {
      kind: 'transform',
    })
    const gateway = gatewayOf([tool('a', (args) => args)], { hooks })
    const { error } = await gateway.dispatch({ name: 'a', arguments: { path: '/old' } })
    expect(error?.code).toBe('hook_failed')
    expect(error?.message).toContain('"path" is no JSON pointer, such as "/path"')
  })
})

describe('a change with a field that it cannot have', () => {
  it('of the arguments refuses the call: what was meant would not be changed', async () => {
    const hooks = createHookBus<CallgateEvents>()
    const slip = { action: 'modify', arguments: { path: '/new' } } as { action: 'modify' }
    hooks.on('pre_tool_call', () => slip, { kind: 'transform', id: 'slip' })
    const gateway = gatewayOf([tool('a', (args) => args)], { hooks })
    const { error } = await gateway.dispatch({ name: 'a', arguments: { path: '/old' } })
    expect(error).toMatchObject({ code: 'hook_failed', rule: 'slip' })
    expect(error?.message).toContain('modify.arguments is none of args, set, remove')
  })

  it('of a result withholds it where the hook is critical', async () => {
    const hooks = createHookBus<CallgateEvents>()
    const slip = { action: 'modify', date: 'x' } as { action: 'modify' }
    hooks.on('transform_tool_result', () => slip, { critical: true })
    const gateway = gatewayOf([tool('a', () => 'secret')], { hooks })
    const { error } = await gateway.dispatch({ name: 'a', arguments: {} })
    expect(error?.code).toBe('result_withheld')
  })

  it('of an error leaves it as it was', async () => {
    const hooks = createHookBus<CallgateEvents>()
    const slip = { action: 'modify', message: 'new', hints: 'x' } as const
    hooks.on('tool_error', () => slip)
    const gateway = gatewayOf(
      [
        tool('a', () => {
          throw new Error('old')
        }),
      ],
      { hooks },
    )
    const { error } = await gateway.dispatch({ name: 'a', arguments: {} })
    expect(error?.message).toContain('old')
  })

  it('of the list of tools hides all that the hook covers', () => {
    const hooks = createHookBus<CallgateEvents>()
    const slip = { action: 'modify', hidden: ['local::b'] } as { action: 'modify' }
    hooks.on('tools_listed', () => slip, { match: 'local::a' })
    const gateway = gatewayOf([tool('a', () => 1), tool('b', () => 1)], { hooks })
    expect(gateway.registry.list().map(({ name }) => name)).toEqual(['b'])
  })
})
