import { ToolError } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { gatewayOf, tool } from './tools.ts'

describe('a call that fails slowly again and again', () => {
  it('is held back from the end of its last failure', async () => {
    let now = 0
    const clock = { now: () => now, setTimeout: () => 0, clearTimeout: () => {} }
    const slow = tool('slow', () => {
      now += 70_000
      throw new ToolError({ code: 'backend_error', message: 'no answer', started: 'no' })
    })
    const gateway = gatewayOf([slow], { ports: { clock } })
    const make = async () => {
      const { error } = await gateway.dispatch({ name: 'slow', arguments: {} }, { sessionId: 's' })
      return [error?.code, error?.retryAfterMs]
    }
    for (let time = 0; time < 3; time++) expect(await make()).toEqual(['backend_error', undefined])
    expect(await make()).toEqual(['repeated_failure', 60_000])
    now += 59_999
    expect(await make()).toEqual(['repeated_failure', 1])
    now += 1
    expect((await make())[0]).toBe('backend_error')
  })
})
