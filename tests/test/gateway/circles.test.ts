import { createGateway, defineTool, type Gateway } from '@callgate/core'
import { describe, expect, it } from 'vitest'

import { tool } from './support.ts'

describe('the same failing call', () => {
  it('is told from the second failure, refused after the third, and free again with other arguments', async () => {
    const gateway = createGateway({
      tools: [
        defineTool({
          namespace: 'local',
          name: 't',
          description: 't',
          parameters: { type: 'object' },
          execute: ({ ok }) => {
            if (ok !== true) throw new Error('no')
            return 'yes'
          },
        }),
      ],
    })
    const ask = (args: object) =>
      gateway.dispatch({ name: 't', arguments: args }, { sessionId: 's' })
    expect((await ask({ a: 1 })).error?.hint).toBeUndefined()
    expect((await ask({ a: 1 })).error?.hint).toMatch(/failed 2 times in a row/)
    await ask({ a: 1 })
    expect((await ask({ a: 1 })).error).toMatchObject({ code: 'repeated_failure', status: 429 })
    expect((await ask({ a: 2 })).error?.code).toBe('tool_failed')
    expect((await ask({ ok: true })).status).toBe('ok')
    const other = await gateway.dispatch({ name: 't', arguments: { a: 1 } }, { sessionId: 'other' })
    expect(other.error?.code).toBe('tool_failed')
  })
})

describe('a model that runs in circles', () => {
  const echo = tool('echo', () => 'the same')
  const ask = (gateway: Gateway, name: string, args: object) =>
    gateway.dispatch({ name, arguments: args }, { sessionId: 's' })

  it('is told from the third equal call on, whatever the order of keys (lop-01)', async () => {
    const gateway = createGateway({ tools: [echo] })
    const notices: unknown[] = []
    for (const args of [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
      { a: 1, b: 2 },
    ]) {
      notices.push((await ask(gateway, 'echo', args)).metadata.notice)
    }
    expect(notices).toEqual([undefined, undefined, expect.stringContaining('number 3')])
    expect((await ask(gateway, 'echo', { a: 1, b: 3 })).metadata.notice).toBeUndefined()
    expect(
      (await gateway.dispatch({ name: 'echo', arguments: { a: 1, b: 2 } })).metadata.notice,
    ).toBeUndefined()
  })

  it('is told in a cycle of several calls too', async () => {
    const gateway = createGateway({ tools: [echo] })
    let last: string | undefined
    for (let round = 0; round < 3; round++) {
      for (const step of [1, 2, 3, 4]) last = (await ask(gateway, 'echo', { step })).metadata.notice
    }
    expect(last).toContain('number 3')
  })

  it('is left alone where the policy says that no loops are looked for', async () => {
    const gateway = createGateway({ tools: [echo], policy: { loops: false } })
    for (let time = 1; time <= 15; time++) {
      const { status, metadata } = await ask(gateway, 'echo', {})
      expect([status, metadata.notice]).toEqual(['ok', undefined])
    }
  })

  it('is left alone with the tools of which the policy says that they are polled', async () => {
    const other = tool('other', () => 'the same')
    const gateway = createGateway({ tools: [echo, other], policy: { polls: ['*::ech*'] } })
    const last: Record<string, readonly unknown[]> = {}
    for (let time = 1; time <= 15; time++) {
      for (const name of ['echo', 'other']) {
        const { error, metadata } = await ask(gateway, name, {})
        last[name] = [error?.code, metadata.notice === undefined]
      }
    }
    expect(last).toEqual({ echo: [undefined, true], other: ['repeated_failure', false] })
  })
})
