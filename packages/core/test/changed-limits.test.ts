import { describe, expect, it } from 'vitest'

import { gatewayOf, tool } from './tools.ts'

/** A tool of which each call runs until it is let go, and the most that ran at once since `most` was set. */
function held(): {
  readonly of: (concurrency: number) => ReturnType<typeof tool>
  readonly letGo: (count: number) => void
  /** How many run that are not yet let go. */
  readonly open: () => number
  readonly seen: { running: number; most: number }
} {
  const gates: (() => void)[] = []
  const seen = { running: 0, most: 0 }
  const run = async (): Promise<void> => {
    seen.most = Math.max(seen.most, ++seen.running)
    await new Promise<void>((resolve) => gates.push(resolve))
    seen.running--
  }
  return {
    of: (concurrency) => tool('held', run, { limits: { concurrency } }),
    letGo: (count) => gates.splice(0, count).forEach((open) => open()),
    open: () => gates.length,
    seen,
  }
}

describe('a tool whose places become others while calls wait for them', () => {
  const calls = (count: number, gateway: ReturnType<typeof gatewayOf>) =>
    Array.from({ length: count }, (_, n) => gateway.dispatch({ name: 'held', arguments: { n } }))

  it('runs no more at once than it now may, once there are fewer', async () => {
    const { of, letGo, open, seen } = held()
    const gateway = gatewayOf([of(3)], { policy: { loops: false } })
    const waiting = calls(6, gateway)
    await expect.poll(open).toBe(3)
    gateway.registry.add(of(1))
    waiting.push(...calls(1, gateway))
    seen.most = 0
    letGo(3)
    for (let left = 4; left > 0; left--) {
      await expect.poll(open).toBe(1)
      letGo(1)
    }
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(7).fill('ok'))
    expect(seen.most).toBe(1)
  })

  it('runs those that wait too, once there are more, and before those that come', async () => {
    const { of, letGo, open } = held()
    const gateway = gatewayOf([of(1)], { policy: { loops: false } })
    const waiting = calls(3, gateway)
    await expect.poll(open).toBe(1)
    gateway.registry.add(of(3))
    waiting.push(...calls(1, gateway))
    await expect.poll(open).toBe(3)
    letGo(3)
    await Promise.all(waiting.slice(0, 3))
    await expect.poll(open).toBe(1)
    letGo(1)
    expect((await waiting[3]!).status).toBe('ok')
  })
})
