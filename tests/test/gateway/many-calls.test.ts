import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { createGateway, defineTool } from '@callgate/core'
import { describe, expect, it } from 'vitest'

const heavy = process.env['CI'] === 'true'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

describe('many calls at once', () => {
  it('ten thousand in flight are all answered, and their memory is given back', async () => {
    const gates: (() => void)[] = []
    const gateway = createGateway({
      tools: [
        defineTool({
          namespace: 'local',
          name: 'wait',
          description: 'waits',
          parameters: true,
          execute: () => new Promise<string>((resolve) => gates.push(() => resolve('done'))),
        }),
      ],
    })
    const count = heavy ? 10_000 : 2000
    const round = async (): Promise<number> => {
      const calls = Array.from({ length: count }, (_, n) =>
        gateway.dispatch({ id: `c${n}`, name: 'wait', arguments: { n } }),
      )
      await expect.poll(() => gates.length).toBe(count)
      for (const open of gates.splice(0)) open()
      const results = await Promise.all(calls)
      expect(results.every(({ status }) => status === 'ok')).toBe(true)
      collect()
      return process.memoryUsage().heapUsed
    }
    await round()
    const before = await round()
    const after = await round()
    expect(after - before).toBeLessThan(1_000_000)
  })
})
