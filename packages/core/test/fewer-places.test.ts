import { describe, expect, it } from 'vitest'

import { gatewayOf, tool } from './tools.ts'

const others = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a limit of calls that run at once', () => {
  it('holds from when it is lowered, also while calls are in line', async () => {
    const ends: (() => void)[] = []
    const work = (concurrency: number) =>
      tool('work', () => new Promise<void>((resolve) => ends.push(resolve)), {
        limits: { concurrency },
      })
    const gateway = gatewayOf([work(2)])
    const call = () => gateway.dispatch({ name: 'work', arguments: {} })
    const running = [call(), call(), call(), call()]
    await others()
    expect(ends).toHaveLength(2)
    gateway.registry.remove('local::work')
    gateway.registry.add(work(1))
    running.push(call())
    ends[0]!()
    await running[0]
    await others()
    expect(ends).toHaveLength(2)
    for (let next = 1; next < 5; next++) {
      ends[next]!()
      await running[next]
      await others()
      expect(ends).toHaveLength(Math.min(5, next + 2))
    }
  })
})
