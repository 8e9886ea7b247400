import { describe, expect, it } from 'vitest'

import { commandHook } from '../../src/command.ts'
import { script } from './support.ts'

/** The name and the text of the error that these options make. */
function refusal(options: unknown): string {
  try {
    commandHook(options as never)
  } catch (error) {
    return String(error)
  }
  return 'nothing'
}

const x = { command: 'x' }

describe('an option that does not fit is refused when the hook is made, never when a call comes:', () => {
  it.each([
    [null, 'TypeError: commandHook: the options are null; expected an object.'],
    [{}, 'TypeError: commandHook: command is undefined; expected the name or path of a program.'],
    [
      { command: ' ' },
      'TypeError: commandHook: command is " "; expected the name or path of a program.',
    ],
    [{ ...x, args: '-v' }, 'TypeError: commandHook: args is "-v"; expected a list of texts.'],
    [{ ...x, args: ['-v', 1] }, 'TypeError: commandHook: args.1 is 1; expected text.'],
    [
      { ...x, dialect: 'json' },
      'TypeError: commandHook: dialect is "json"; expected callgate, exit-code.',
    ],
    [
      { ...x, kind: 'observe' },
      'TypeError: commandHook: kind is "observe"; expected gate, transform.',
    ],
    [{ ...x, event: '' }, 'TypeError: commandHook: event is ""; expected text that is not empty.'],
    [
      { ...x, timeoutMs: '5' },
      'TypeError: commandHook: timeoutMs is "5"; expected milliseconds above 0, at most 600000.',
    ],
    [
      { ...x, timeoutMs: 0 },
      'RangeError: commandHook: timeoutMs is 0; expected milliseconds above 0, at most 600000.',
    ],
    [
      { ...x, timeoutMs: Number.NaN },
      'RangeError: commandHook: timeoutMs is NaN; expected milliseconds above 0, at most 600000.',
    ],
    [
      { ...x, failClosed: 'no' },
      'TypeError: commandHook: failClosed is "no"; expected true or false.',
    ],
    [
      { ...x, failClosed: null },
      'TypeError: commandHook: failClosed is null; expected true or false.',
    ],
    [{ ...x, withGate: 1 }, 'TypeError: commandHook: withGate is 1; expected true or false.'],
    [{ ...x, env: 5 }, 'TypeError: commandHook: env is 5; expected an object of texts.'],
    [{ ...x, env: { A: 1 } }, 'TypeError: commandHook: env.A is 1; expected text.'],
    [{ ...x, cwd: 5 }, 'TypeError: commandHook: cwd is 5; expected text that is not empty.'],
    [
      { ...x, failOpen: true },
      'TypeError: commandHook: there is no option "failOpen"; expected command, args, dialect, event, ' +
        'matcher, timeoutMs, failClosed, withGate, env, cwd, kind.',
    ],
  ])('%j', (options, said) => {
    expect(refusal(options)).toBe(said)
  })

  it.each([
    [null, /^TypeError: commandHook: matcher is null; expected a regular expression as text\.$/],
    [5, /^TypeError: commandHook: matcher is 5; expected a regular expression as text\.$/],
    [
      /a/,
      /^TypeError: commandHook: matcher is an object; expected a regular expression as text\.$/,
    ],
    ['(', /^TypeError: commandHook: matcher is no regular expression: \($/],
  ])('matcher %j, which would guard nothing', (matcher, said) => {
    expect(refusal({ ...x, matcher })).toMatch(said)
  })
})

describe('a list or an object among the options', () => {
  it('counts as it was when the hook was made', async () => {
    const options = script('process.exitCode = 2', { dialect: 'exit-code', env: { A: 'a' } })
    const hook = commandHook(options)
    ;(options.args as string[]).length = 0
    expect(await hook({})).toEqual({ action: 'block' })
  })
})
