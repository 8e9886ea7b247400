import { describe, expect, it } from 'vitest'

import { checkToolSchema, createCoercer, type RegExpEngine } from '../src/index.ts'

function schemaOf(pattern: string): { type: string; properties: { x: object } } {
  return { type: 'object', properties: { x: { type: 'string', pattern } } }
}

/** Whether a pattern is run; it does not fit the text, so that one sees it. */
function isRun(pattern: string, misfit: string): boolean {
  const refused = checkToolSchema(schemaOf(pattern)).length > 0
  const checked = !createCoercer(schemaOf(pattern)).coerce({ x: misfit }).valid
  expect(checked).toBe(!refused)
  return checked
}

describe('patterns', () => {
  it.each([
    ['^[a-z0-9]+(?:-[a-z0-9]+)*$', '-'],
    ['^\\d{4}-\\d{2}-\\d{2}$', '2026'],
    ['^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$', 'nobody'],
    ['^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$', 'x'],
    ['^(?=.*[A-Z])(?=.*\\d).{8,}$', 'short'],
    ['^(https?|ftp)://[^\\s/$.?#].[^\\s]*$', 'gopher'],
    ['^/[^/]+(/[^/]+)*$', 'a'],
    ['^([a-z]+\\.)*[a-z]+$', '5'],
    ['^[\\w-\\.]+$', ' '],
    ['^[A-Z]{2}\\d{2}[A-Z0-9]{1,30}$', 'x'],
    ['^\\p{L}+$', '5'],
    ['^(GET|POST|PUT|PATCH)$', 'HEAD'],
    ['\\S', ' '],
    ['\\bword\\b', 'words'],
    ['^[\\u4e00-\\u9fa5]{2,4}$', 'ab'],
  ])('%s is run', (pattern, misfit) => {
    expect(isRun(pattern, misfit)).toBe(true)
  })

  it.each([
    '(a+)+$',
    '^(a|a)*$',
    '^(a|ab)*$',
    '^(.*)*$',
    '(x+x+)+y',
    '^(\\w+\\s?)*$',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '^(a?){50}a{50}$',
    `${'a?'.repeat(30)}${'a'.repeat(30)}`,
    `^${'(?:a|a)'.repeat(30)}$`,
    '^(a+){1,}$',
    `^${'(?:|)'.repeat(30)}a$`,
    '^(?:(?:|)a)*$',
    '^(?:\\p{2}|pp)*\\-$',
    '^(?:\\xzz|xzz)*\\-$',
    '^(?=a){3}b',
    '(a)\\1',
    '(?<=a)b',
    '^a(?=b*$)c',
    '(unclosed',
    'a'.repeat(200),
  ])('%s is not run, which is reported', (pattern) => {
    expect(isRun(pattern, '!')).toBe(false)
    expect(checkToolSchema(schemaOf(pattern))).toMatchObject([
      { path: '/properties/x/pattern', rule: 'pattern' },
    ])
  })

  it('are run by a given engine, whatever they are', () => {
    const asked: string[] = []
    const regExp: RegExpEngine = (pattern, flags) => {
      asked.push(`${pattern} ${flags}`)
      return { test: (text) => text === 'aaa' }
    }
    const coercer = createCoercer(schemaOf('(a+)+$'), { regExp })
    expect(coercer.coerce({ x: 'aaa' }).valid).toBe(true)
    expect(coercer.coerce({ x: 'aa' }).errors).toMatchObject([{ constraint: 'pattern' }])
    expect(asked).toContain('(a+)+$ u')
    expect(checkToolSchema(schemaOf('(a+)+$'), { regExp })).toEqual([])
  })

  it('that the engine refuses are reported', () => {
    const regExp: RegExpEngine = () => {
      throw new Error('no')
    }
    expect(checkToolSchema(schemaOf('a'), { regExp })).toMatchObject([{ rule: 'pattern' }])
    expect(createCoercer(schemaOf('a'), { regExp }).coerce({ x: 'b' }).valid).toBe(true)
  })

  it('of properties that are not run free the other keys', () => {
    const coercer = createCoercer({
      type: 'object',
      patternProperties: { '(a+)+$': { type: 'integer' } },
      additionalProperties: false,
    })
    expect(coercer.coerce({ aaa: 'text' })).toMatchObject({ value: { aaa: 'text' }, valid: true })
  })

  it('whose time is not linear are run while the steps of a call last', () => {
    const coercer = createCoercer(schemaOf('\\s+$'))
    expect(coercer.coerce({ x: 'a' }).valid).toBe(false)
    const started = performance.now()
    expect(coercer.coerce({ x: `${' '.repeat(500_000)}a` }).valid).toBe(true)
    expect(performance.now() - started).toBeLessThan(1000)
    expect(coercer.coerce({ x: 'a' }).valid).toBe(false)
  })
})
