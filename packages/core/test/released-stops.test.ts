import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { createHookBus } from '@callgate/hooks'
import type { CallgateEvents } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { gatewayOf, tool } from './tools.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

describe('the signal of a call that has ended', () => {
  it('is not kept by the gateway where an observer looks at it', async () => {
    const hooks = createHookBus<CallgateEvents>()
    const kept: WeakRef<AbortSignal>[] = []
    hooks.on('post_tool_call', ({ signal }) => void kept.push(new WeakRef(signal)))
    const gateway = gatewayOf([tool('one', () => 1)], { hooks })
    for (let time = 0; time < 20; time++) await gateway.dispatch({ name: 'one', arguments: {} })
    await hooks.idle()
    const left = (): number => {
      collect()
      return kept.filter((ref) => ref.deref() !== undefined).length
    }
    await expect.poll(left).toBeLessThan(5)
    expect(kept).toHaveLength(20)
    await gateway.close()
  })

  it('still stops the calls that an observer makes', async () => {
    const hooks = createHookBus<CallgateEvents>()
    const codes: (string | undefined)[] = []
    const begun = Promise.withResolvers<void>()
    const slow = tool('slow', () => {
      begun.resolve()
      return new Promise(() => {})
    })
    hooks.on(
      'post_tool_call',
      async ({ call }) => {
        const { error } = await call({ name: 'slow', arguments: {} })
        codes.push(error?.code)
      },
      { match: 'local::one' },
    )
    const gateway = gatewayOf([tool('one', () => 1), slow], { hooks })
    await gateway.dispatch({ name: 'one', arguments: {} })
    await begun.promise
    await gateway.close()
    expect(codes).toEqual(['cancelled'])
  })
})
