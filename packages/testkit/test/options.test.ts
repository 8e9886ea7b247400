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
      expect(failed[check]).toMatch(
        /slow fixture "echo" ended by itself, with an output; it must take/,
      )
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

describe('what is given to the suite is refused at once', () => {
  const { ok, fails, slow } = memoryFixtures
  const given = (options: object) => (): void =>
    adapterSuite(() => {}, memoryAdapter(), options as never)

  it.each([
    ['options.skp', 'skip', { fixtures: memoryFixtures, skp: {} }],
    ['options.fixtrues', 'fixtures', { fixtrues: memoryFixtures }],
    ['fixtures.progres', 'progress', { fixtures: { ...memoryFixtures, progres: ok } }],
    ['fixtures.slw', 'slow', { fixtures: { ok, fails, slw: slow } }],
    ['fixtures.ok.expct', 'expect', { fixtures: { fails, slow, ok: { ...ok, expct: 1 } } }],
    ['fixtures.ok.args', undefined, { fixtures: { fails, slow, ok: { tool: 'a', args: {} } } }],
    [
      'fixtures.concurrent.1.Expect',
      'expect',
      { fixtures: { ok, fails, slow, concurrent: [ok, { ...ok, Expect: 1 }] } },
    ],
    ['options.constructor', undefined, { fixtures: memoryFixtures, constructor: 1 }],
  ])('when %s is unknown, with the near name %s', (where, near, options) => {
    const message = expect.stringContaining(`"${where}" is unknown; expected one of `)
    const hint = near === undefined ? 'Take it out.' : `Did you mean "${near}"?`
    expect(given(options)).toThrow(
      expect.objectContaining({ rule: 'suite-options', where, message, hint }),
    )
  })

  it('when skip names a check that is misspelt, with the near name', () => {
    const hint = expect.stringMatching(/^Did you mean "progress"\? The checks are contract, /)
    expect(given({ fixtures: memoryFixtures, skip: { progres: 'x' } })).toThrow(
      expect.objectContaining({ rule: 'suite-check', where: 'skip.progres', hint }),
    )
  })

  it.each([
    ['options', undefined, '"options" is missing.'],
    ['options.fixtures', {}, '"options.fixtures" is missing.'],
    ['fixtures.slow', { fixtures: { ok, fails } }, '"fixtures.slow" is missing.'],
    [
      'fixtures.ok',
      { fixtures: { fails, slow, ok: { tool: 'a' } } },
      '"fixtures.ok.arguments" is missing.',
    ],
    [
      'fixtures.ok',
      { fixtures: { fails, slow, ok: { tool: 7, arguments: {} } } },
      '"fixtures.ok.tool" is of type number, which does not fit.',
    ],
    [
      'options.secrets',
      { fixtures: memoryFixtures, secrets: 'abc' },
      '"options.secrets" is of type string, which does not fit.',
    ],
    [
      'options.skip',
      { fixtures: memoryFixtures, skip: ['leaks'] },
      '"options.skip" is a list, which does not fit.',
    ],
  ])('when %s does not fit, saying whether it is missing', (where, options, said) => {
    expect(given(options as never)).toThrow(
      expect.objectContaining({ where, message: `adapterSuite: ${said}` }),
    )
  })
})
