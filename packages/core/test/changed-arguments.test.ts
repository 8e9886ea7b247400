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
