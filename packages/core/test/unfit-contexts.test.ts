import type { CallContext } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { gatewayOf, tool } from './tools.ts'

describe('a context that is none', () => {
  const gateway = gatewayOf([tool('a', () => 1)])
  const call = { name: 'a', arguments: {} }

  it.each([null, { signal: {} }, { roles: 'admin' }])(
    'is refused the same way by every door: %j',
    async (given) => {
      const context = given as unknown as CallContext
      const refused = { rule: 'context' }
      await expect(gateway.explain(call, context)).rejects.toMatchObject(refused)
      await expect(gateway.dispatch(call, context)).rejects.toMatchObject(refused)
      await expect(gateway.runTurn({ toolCalls: [call] }, context)).rejects.toMatchObject(refused)
    },
  )
})
