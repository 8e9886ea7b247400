import { describe, expect, it } from 'vitest'

import { adapterSuite } from '../src/index.ts'
import { memoryAdapter, memoryFixtures } from './fixtures/memory-adapter.ts'
import { failedChecks } from './fixtures/run-suite.ts'

describe('fixtures that do not fit', () => {
  const factory = memoryAdapter()

  it('are named when the adapter has no such tool', async () => {
    const ok = { tool: 'sing', arguments: {} }
    const failed = await failedChecks(factory, { fixtures: { ...memoryFixtures, ok } })
    expect(failed['ok']).toMatch(/has no tool "sing"; it has memory::echo, memory::fail/)
  })

  it('are named when their arguments do not fit the schema', async () => {
    const ok = { tool: 'echo', arguments: { text: { a: 1 } } }
    const failed = await failedChecks(factory, { fixtures: { ...memoryFixtures, ok } })
    expect(failed['ok']).toMatch(/fixture "echo" do not fit its schema: \/text is/)
  })

  it('are named when the slow one is not slow', async () => {
    const slow = { tool: 'echo', arguments: { text: 'a' } }
    const failed = await failedChecks(factory, { fixtures: { ...memoryFixtures, slow } })
    for (const check of ['cancel', 'cancel-effect', 'stop', 'leaks']) {
      expect(failed[check]).toMatch(/slow fixture "echo" ended by itself/)
    }
  })

  it('must show progress where it is claimed', async () => {
    const { ok, fails, slow } = memoryFixtures
    const failed = await failedChecks(factory, { fixtures: { ok, fails, slow } })
    expect(failed).toEqual({ progress: expect.stringMatching(/there is no fixture that shows it/) })
  })
})

describe('skip', () => {
  const { ok, fails, slow } = memoryFixtures

  it('lets a check pass under a name that gives the reason', async () => {
    const names: string[] = []
    const skip = { progress: 'the backend tells nothing' }
    const options = { fixtures: { ok, fails, slow }, skip }
    adapterSuite((name) => names.push(name), memoryAdapter(), options)
    expect(names).toContain('progress: skipped, the backend tells nothing')
    expect(await failedChecks(memoryAdapter(), options)).toEqual({})
  })

  it.each([
    [{ progres: 'x' }, /There is no check "progres"/],
    [{ toString: 'x' }, /There is no check "toString"/],
    [{ cancel: ' ' }, /skipped without a reason/],
  ])('%j is refused at once', (skip, message) => {
    expect(() =>
      adapterSuite(() => {}, memoryAdapter(), { fixtures: memoryFixtures, skip }),
    ).toThrow(message)
  })
})
