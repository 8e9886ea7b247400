import type { JsonSchema } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { checkToolSchema, createCoercer, unrename, type RegExpEngine } from '../src/index.ts'

function schemaOf(pattern: string): { type: string; properties: { x: object } } {
  return { type: 'object', properties: { x: { type: 'string', pattern } } }
}

/** Whether a pattern is run; it does not fit the text, so that one sees it. */
function isRun(pattern: string, misfit: string): boolean {
  const notes = checkToolSchema(schemaOf(pattern))
  const refused = notes.some(({ message }) => message.includes('is not run'))
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

  it('that the engine refuses are run without it where they are harmless, and else reported', () => {
    const regExp: RegExpEngine = () => {
      throw new Error('no')
    }
    expect(checkToolSchema(schemaOf('^(?!b)a'), { regExp })).toEqual([])
    expect(createCoercer(schemaOf('^(?!b)a'), { regExp }).coerce({ x: 'b' }).valid).toBe(false)
    expect(checkToolSchema(schemaOf('(a+)+$'), { regExp })).toMatchObject([{ rule: 'pattern' }])
    expect(createCoercer(schemaOf('(a+)+$'), { regExp }).coerce({ x: 'b' }).valid).toBe(true)
  })

  it.each([
    ['\\Aabc\\Z', 'abc'],
    ['^abc\\z', 'abc'],
    ['^\\pL+$', 'abc'],
    ['^[[:alpha:]]+$', 'abc'],
    ['^\\Qa.b\\E$', 'a.b'],
    ['^a{,3}$', 'aa'],
    ['^\\h+$', ' '],
  ])('of other engines, as %s, refuse nothing and are reported', (pattern, fitting) => {
    expect(isRun(pattern, fitting)).toBe(false)
  })

  it.each([
    '^[\\w-.]+$',
    '^\\-+$',
    '^\\_+$',
    "^\\'+$",
    '^\\\\A$',
    '^\\cA$',
    '^[:\\w-.]+$',
    '^\\{,3\\-$',
  ])('that only need the older mode are run: %s', (pattern) => {
    expect(isRun(pattern, 'b b')).toBe(true)
  })

  it('of properties that are not run free the other keys', () => {
    const coercer = createCoercer({
      type: 'object',
      patternProperties: { '(a+)+$': { type: 'integer' } },
      additionalProperties: false,
    })
    expect(coercer.coerce({ aaa: 'text' })).toMatchObject({ value: { aaa: 'text' }, valid: true })
  })

  it.each([
    ['^(?:aa*)?[ab]*$', 9000],
    ['\\s+$', 9000],
    ['^a*a*a*$', 600],
  ])('%s is run on texts of %i characters, which fit or not', (pattern, length) => {
    const coercer = createCoercer(schemaOf(pattern))
    const text = (pattern.includes('s') ? ' ' : 'a').repeat(length)
    expect(coercer.coerce({ x: text }).valid).toBe(true)
    expect(coercer.coerce({ x: `${text}!` }).errors).toMatchObject([{ constraint: 'pattern' }])
  })

  const quadratic = '\\s+$'
  const long = `${' '.repeat(500_000)}a`
  it.each([
    ['a text', schemaOf(quadratic), { x: long }],
    ['what must not fit', { properties: { x: { not: { pattern: quadratic } } } }, { x: long }],
    ['a name', { patternProperties: { [quadratic]: { type: 'integer' } } }, { [long]: '5' }],
    ['a name that must fit', { propertyNames: { pattern: quadratic } }, { [long]: 5 }],
    [
      'names',
      { allOf: [schemaOf('a'), { patternProperties: { [quadratic]: { minimum: 0 } } }] },
      { [long]: 5 },
    ],
  ])('whose time is not linear end a call with `limit`: for %s', (_what, schema, args) => {
    const coercer = createCoercer(schema)
    const result = coercer.coerce(args)
    expect(result).toMatchObject({ valid: false, errors: [{ constraint: 'limit' }], repairs: [] })
    expect(result.value).toBe(args)
    expect(coercer.coerce({ x: 'a' }).errors).not.toMatchObject([{ constraint: 'limit' }])
  })

  const endless = { pattern: '^(a+)+$' }
  const bad = { type: 'string', ...endless }
  it.each<[string, object, unknown?]>([
    ['a not', { not: endless }],
    ['a not in a not', { not: { not: endless } }],
    ['a not, by reference', { not: { $ref: '#/$defs/bad' } }],
    ['a not, as a name', { not: { patternProperties: { [endless.pattern]: false } } }, { a: 1 }],
    ['branches of which one must fit', { oneOf: [bad, { pattern: '^(b+)+$' }] }],
    ['branches beside others', { anyOf: [{}], oneOf: [bad, { type: 'string' }] }],
    ['a condition', { if: endless, then: { type: 'integer' } }],
    ['a condition with another outcome', { if: endless, else: { type: 'integer' } }],
  ])('that are not run refuse nothing where they stand in %s', (_where, schema, other = 'c') => {
    const properties = { not: { ...schema, type: ['string', 'object'] } }
    const whole = { type: 'object', properties, $defs: { bad } }
    expect(checkToolSchema(whole).length).toBeGreaterThan(0)
    for (const value of ['aaa', 'b', other]) {
      expect(createCoercer(whole).coerce({ not: value })).toMatchObject({ valid: true })
    }
    expect(createCoercer(whole).coerce({ not: 5.5 }).errors).toMatchObject([{ path: '/not' }])
  })

  it('that are not run leave a `not` and a `oneOf` without them as they are', () => {
    const one = { oneOf: [{ maxLength: 2 }, { minLength: 2 }], not: { const: 'c' } }
    const { coerce } = createCoercer({ properties: { a: bad, one } })
    expect(coerce({ a: 'b', one: 'c' }).errors).toMatchObject([{ constraint: 'not' }])
    expect(coerce({ a: 'b', one: 'cc' }).errors).toMatchObject([{ constraint: 'oneOf' }])
  })

  it('that are names of properties end the restoring of names and not the call', () => {
    const args = { [long]: 5 }
    expect(unrename({ patternProperties: { [quadratic]: {} } }, args)).toBe(args)
  })

  it('of look-aheads and one loop are run on texts of any length', () => {
    const coercer = createCoercer(schemaOf('^(?!.*\\.\\.).*$'))
    for (const length of [2580, 100_000]) {
      const x = `..${'a'.repeat(length)}`
      expect(coercer.coerce({ x }).errors).toMatchObject([{ constraint: 'pattern' }])
      expect(coercer.coerce({ x: x.slice(1) }).valid).toBe(true)
    }
  })

  it('that are not run on every text are noted with the length, where longer texts fit', () => {
    const schema = (maxLength: number): JsonSchema => ({ pattern: quadratic, maxLength })
    const [note, ...others] = checkToolSchema(schema(1e6))
    expect(others).toEqual([])
    expect(note).toMatchObject({ path: '/pattern', rule: 'pattern' })
    const [, length] = /texts of up to (\d+) characters.* regExp/.exec(note!.message) ?? []
    expect(Number(length)).toBeGreaterThan(9000)
    expect(checkToolSchema(schema(Number(length)))).toEqual([])
    expect(checkToolSchema(schema(1e6), { regExp: RegExp })).toEqual([])
  })
})
