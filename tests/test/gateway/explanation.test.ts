import { createGateway } from '@callgate/core'
import { describe, expect, it } from 'vitest'

import { call, send } from './approvals/support.ts'

describe('an explanation', () => {
  it('says what would refuse the call when it runs', async () => {
    const gateway = createGateway({
      tools: [send({ confirm: false, limits: { perMinute: 1 } })],
    })
    expect((await gateway.explain(call)).decision).toBe('allow')
    await gateway.dispatch(call)
    expect(await gateway.explain(call)).toMatchObject({
      decision: 'deny',
      reasons: [expect.stringContaining('1 times per minute') as string],
    })
  })
})
