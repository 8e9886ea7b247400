import { ToolError } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { gatewayOf, tool } from './tools.ts'

const away = (): never => {
  throw new ToolError({ code: 'backend_unavailable', message: 'away', started: 'no' })
}
const retry = { maxRetries: 2, backoff: 'fixed', initialDelayMs: 1 } as const

describe('a fallback', () => {
  it('is retried as it declares, however often the first tool was', async () => {
    let tries = 0
    const first = tool('first', away, { retry, fallback: ['local::second'] })
    const second = tool('second', () => (++tries < 3 ? away() : 'done'), { retry })
    const result = await gatewayOf([first, second]).dispatch({ name: 'first', arguments: {} })
    expect(result).toMatchObject({
      status: 'ok',
      data: 'done',
      metadata: { answeredBy: 'local::second', attempts: 6 },
    })
  })

  it('that fails too does not hide that the same call fails again and again', async () => {
    const takes = (type: string) => ({
      parameters: { type: 'object', properties: { n: { type } } } as never,
    })
    const first = tool('first', away, { ...takes('integer'), fallback: ['local::second'] })
    const second = tool('second', away, takes('string'))
    const gateway = gatewayOf([first, second])
    const codes: (string | undefined)[] = []
    for (let time = 0; time < 4; time++) {
      const call = { name: 'first', arguments: { n: 5 } }
      const { error } = await gateway.dispatch(call, { sessionId: 's' })
      codes.push(error?.code)
    }
    const unavailable = 'backend_unavailable'
    expect(codes).toEqual([unavailable, unavailable, unavailable, 'repeated_failure'])
  })
})
