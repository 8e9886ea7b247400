import { createHookBus } from '@callgate/hooks'
import { defineAdapter, type AdapterInstance, type CallgateEvents } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createGateway } from '../src/index.ts'

const silent = (): void => {}

describe('a gateway that is closed while it starts', () => {
  it.each(['start', 'discover'] as const)(
    'waits no longer, and stops what its adapters began: %s',
    async (what) => {
      const signals: AbortSignal[] = []
      const hang: NonNullable<AdapterInstance[typeof what]> = (signal) => {
        signals.push(signal)
        return new Promise<never>(() => {})
      }
      const adapter = defineAdapter<object>({
        contract: 1,
        name: 'own',
        capabilities: { isolation: 'none' },
        configSchema: {},
        create: () => ({ [what]: hang, invoke: () => Promise.resolve({}) }),
      })({})
      const hooks = createHookBus<CallgateEvents>()
      const logged: string[] = []
      const error = (message: string): void => void logged.push(message)
      const gateway = createGateway({
        adapters: [adapter],
        hooks,
        log: { debug: silent, info: silent, warn: silent, error },
      })
      const heard: string[] = []
      for (const event of ['gateway_start', 'gateway_stop'] as const) {
        hooks.on(event, () => void heard.push(event), { id: event })
      }
      const starting = gateway.start()
      await expect.poll(() => signals.length).toBe(1)
      await gateway.close()
      await starting
      expect(signals[0]?.aborted).toBe(true)
      await hooks.idle()
      expect(heard).toEqual(['gateway_stop'])
      expect(logged).toEqual([])
    },
  )
})
