import { describe, expect, it } from 'vitest'

import { createHookBus } from '../src/index.ts'
import { handClock } from './clock.ts'

interface Events {
  save: { payload: { readonly name: string } }
}

/** The name and the text of the error that this throws. */
function refusal(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    return String(error)
  }
  return 'nothing'
}

describe('an option of a bus', () => {
  it.each([
    [null, 'TypeError: createHookBus: the options are null; expected an object.'],
    [[], 'TypeError: createHookBus: the options are a list; expected an object.'],
    [
      { timeout: 5 },
      'TypeError: createHookBus: there is no option "timeout"; expected timeoutMs, clock.',
    ],
    [
      { timeoutMs: '5' },
      'TypeError: createHookBus: timeoutMs is "5"; expected 0 (no bound) to 2147483647 milliseconds.',
    ],
    [
      { timeoutMs: 2 ** 31 },
      'RangeError: createHookBus: timeoutMs is 2147483648; expected 0 (no bound) to 2147483647 milliseconds.',
    ],
    [
      { clock: { now: () => 0 } },
      'TypeError: createHookBus: clock is an object; expected an object with the functions now, setTimeout, clearTimeout.',
    ],
  ])('that does not fit is refused when the bus is made: %j', (options, said) => {
    expect(refusal(() => createHookBus(options as never))).toBe(said)
  })

  it('that is left out, or undefined, has its default', () => {
    expect(refusal(() => createHookBus({ timeoutMs: undefined } as never))).toBe('nothing')
    expect(refusal(() => createHookBus({ timeoutMs: 0, clock: handClock() }))).toBe('nothing')
  })
})

describe('what a bus is told', () => {
  const bus = createHookBus<Events>()
  const handler = (): void => {}

  it.each([
    [[7, handler], 'TypeError: on: the event is 7; expected text that is not empty.'],
    [['save', null], 'TypeError: Hook on "save": the handler is null; expected a function.'],
    [
      ['save', handler, null],
      'TypeError: Hook on "save": the options are null; expected an object.',
    ],
    [
      ['save', handler, 'gate'],
      'TypeError: Hook on "save": the options are "gate"; expected an object.',
    ],
    [
      ['save', handler, { match: '' }],
      'TypeError: Hook on "save": match is ""; expected text that is not empty.',
    ],
    [
      ['save', handler, { id: Object.create(null) }],
      'TypeError: Hook on "save": id is an object; expected text that is not empty.',
    ],
    [
      ['save', handler, { timeoutMs: Infinity }],
      'RangeError: Hook on "save": timeoutMs is Infinity; expected 0 (no bound) to 2147483647 milliseconds.',
    ],
  ])('of a hook is looked at: case %#', (given, said) => {
    expect(refusal(() => bus.on(...(given as unknown as Parameters<typeof bus.on>)))).toBe(said)
  })

  it.each([
    [null, 'TypeError: The rule of "save": the options are null; expected an object.'],
    [
      { kind: 'guard', fault: 'block' },
      'TypeError: The rule of "save": kind is "guard"; expected transform, gate, observe, around.',
    ],
    [
      { kind: 'gate' },
      'TypeError: The rule of "save": fault is undefined; expected block, keep, ignore.',
    ],
    [
      { kind: 'gate', fault: 'close' },
      'TypeError: The rule of "save": fault is "close"; expected block, keep, ignore.',
    ],
  ])('of an event is looked at: %j', (rule, said) => {
    expect(refusal(() => bus.declare('save', rule as never))).toBe(said)
  })
})

describe('what is fired', () => {
  it.each([
    [['save', null], 'TypeError: Firing "save": the payload is null; expected an object.'],
    [['save'], 'TypeError: Firing "save": the payload is undefined; expected an object.'],
    [['save', 'a name'], 'TypeError: Firing "save": the payload is "a name"; expected an object.'],
    [['', {}], 'TypeError: fire: the event is ""; expected text that is not empty.'],
    [['save', {}, null], 'TypeError: Firing "save": the options are null; expected an object.'],
    [
      ['save', {}, { subjet: 'local::save' }],
      'TypeError: Firing "save": there is no option "subjet"; expected subject, subjects, scope, apply, settled, frozen, waitedMs.',
    ],
    [['save', {}, { subject: 7 }], 'TypeError: Firing "save": subject is 7; expected text.'],
    [
      ['save', {}, { subjects: ['a', 7] }],
      'TypeError: Firing "save": subjects is a list; expected a list of texts.',
    ],
    [
      ['save', {}, { apply: 'rename' }],
      'TypeError: Firing "save": apply is "rename"; expected a function.',
    ],
  ])('has to fit, whether or not somebody listens: case %#', async (given, said) => {
    for (const listen of [false, true]) {
      const bus = createHookBus<Events>()
      if (listen) bus.on('save', () => {}, { match: '*' })
      const fired = given as unknown as Parameters<typeof bus.fire<'save'>>
      expect(refusal(() => bus.fire(...fired))).toBe(said)
      await expect(bus.run(...fired).catch(String)).resolves.toBe(said)
    }
  })

  it('may leave options out, or undefined, and tell subjects of an event about many', () => {
    const bus = createHookBus<Events>()
    const name = 'notes'
    expect(refusal(() => bus.fire('save', { name }))).toBe('nothing')
    expect(refusal(() => bus.fire('save', { name }, { subject: undefined } as never))).toBe(
      'nothing',
    )
    expect(refusal(() => bus.fire('save', { name }, { subjects: ['a', 'b'] }))).toBe('nothing')
  })
})
