import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { describe, expect, it } from 'vitest'

import { gatewayOf, tool } from './tools.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const hourMs = 3_600_000

describe('when a tool was called', () => {
  const timed = (): { readonly clock: object; pass: (ms: number) => void } => {
    let now = 0
    const clock = { now: () => now, setTimeout: () => undefined, clearTimeout: () => undefined }
    return { clock, pass: (ms) => void (now += ms) }
  }

  it('is known for an hour, also where the tool was gone meanwhile', async () => {
    const { clock, pass } = timed()
    const limited = tool('limited', () => 1, { limits: { perHour: 1 } })
    const other = tool('other', () => 1, { limits: { perHour: 1 } })
    const gateway = gatewayOf([limited, other], { ports: { clock: clock as never } })
    const code = async (name: string) =>
      (await gateway.dispatch({ name, arguments: {} })).error?.code
    expect(await code('limited')).toBeUndefined()
    gateway.registry.remove('local::limited')
    pass(hourMs - 1)
    expect(await code('other')).toBeUndefined()
    gateway.registry.add(limited)
    expect(await code('limited')).toBe('rate_limited')
    pass(1)
    expect(await code('limited')).toBeUndefined()
  })

  it('is forgotten then, where the tool is gone', async () => {
    const { clock, pass } = timed()
    const gateway = gatewayOf([], {
      ports: { clock: clock as never, statistics: { record() {} }, audit: { append() {} } },
      policy: { limits: { perHour: 5 } },
    })
    const call = async (name: string): Promise<void> => {
      gateway.registry.add(tool(name, () => 1))
      const { status } = await gateway.dispatch({ name: `local::${name}`, arguments: {} })
      expect(status).toBe('ok')
      gateway.registry.remove(`local::${name}`)
    }
    const used = (): number => {
      collect()
      return process.memoryUsage().heapUsed
    }
    // An id is as long as its name.
    for (let n = 0; n < 200; n++) await call(`${n}${'x'.repeat(50_000)}`)
    const before = used()
    pass(hourMs)
    await call('last')
    expect(before - used()).toBeGreaterThan(5_000_000)
  })
})
