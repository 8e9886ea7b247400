import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createHookBus, deepFreeze, matchesGlob } from '../src/index.ts'

describe('payloads', () => {
  it('are frozen with all their plain parts, so that no hook changes what the next one sees', async () => {
    type Events = {
      seen: { payload: { args: { list: number[] }; signal: AbortSignal; bytes: Uint8Array } }
    }
    const bus = createHookBus<Events>()
    let tried: unknown
    bus.on('seen', ({ args }) => {
      try {
        args.list.push(1)
      } catch (error) {
        tried = error
      }
    })
    const { signal } = new AbortController()
    const payload = { args: { list: [0] }, signal, bytes: new Uint8Array(2) }
    await bus.run('seen', payload)
    await bus.idle()
    expect(tried).toBeInstanceOf(TypeError)
    expect(Object.isFrozen(signal)).toBe(false)
    payload.bytes[0] = 7
    expect(payload.bytes[0]).toBe(7)
  })

  it('may be nested as deep as they like, and may hold rings', () => {
    let deep: object = {}
    for (let level = 0; level < 100_000; level++) deep = { deep }
    expect(Object.isFrozen(deepFreeze(deep))).toBe(true)
    const ring: { self?: unknown } = {}
    ring.self = ring
    expect(Object.isFrozen(deepFreeze(ring))).toBe(true)
  })
})

describe('globs', () => {
  it('match as the regular expression they stand for', () => {
    const symbol = fc.constantFrom('a', 'b', ':', '*', '?', '.')
    const pattern = fc.array(symbol, { maxLength: 8 }).map((parts) => parts.join(''))
    const text = fc
      .array(fc.constantFrom('a', 'b', ':', '.'), { maxLength: 8 })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(pattern, text, (glob, subject) => {
        const source = glob.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.')
        expect(matchesGlob(glob, subject)).toBe(new RegExp(`^${source}$`).test(subject))
      }),
    )
  })

  it('take little time on patterns that make regular expressions explode', () => {
    expect(matchesGlob(`${'*a'.repeat(30)}*b`, 'a'.repeat(5000))).toBe(false)
  })
})
