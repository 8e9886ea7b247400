import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import {
  LosslessNumber,
  parseLossless,
  stringifyLossless,
  toPlainJson,
  type LosslessValue,
} from '../src/index.ts'
import { runs } from './support/runs.ts'

function rewrite(text: string): string | undefined {
  const read = parseLossless(text)
  return read.ok ? stringifyLossless(read.value) : read.fault.kind
}

function plain(text: string): unknown {
  const read = parseLossless(text)
  return read.ok ? toPlainJson(read.value) : read.fault
}

describe('parseLossless and stringifyLossless', () => {
  it.each([
    ['{"b":1,"a":{"10":1,"2":2}}', '{"b": 1, "a": {"10": 1, "2": 2}}'],
    ['{"a":1,"b":2,"a":3}', '{"a": 3, "b": 2}'],
    ['{"__proto__":{"x":1},"constructor":2}', '{"__proto__": {"x": 1}, "constructor": 2}'],
    ['[]', '[]'],
    ['{}', '{}'],
    ['[true,false,null]', '[true, false, null]'],
    ['"\\u5317\\u4eac \\ud83d\\ude42"', '"北京 🙂"'],
    ['"\\u0001\\t\\n\\u007f\\u2028\\/\\"\\\\"', '"\\u0001\\t\\n\u007f\u2028/\\"\\\\"'],
    ['"\\ud800"', '"\ud800"'],
  ])('writes %s as %s', (text, written) => {
    expect(rewrite(text)).toBe(written)
  })

  it.each([
    ['12345678901234567890', '12345678901234567890'],
    ['-0', '0'],
    ['-0.0', '-0.0'],
    ['1e5', '100000.0'],
    ['1E+2', '100.0'],
    ['1.50', '1.5'],
    ['1e15', '1000000000000000.0'],
    ['1e16', '1e+16'],
    ['123456789012345680000.0', '1.2345678901234568e+20'],
    ['0.0001', '0.0001'],
    ['0.00001', '1e-05'],
    ['5e-324', '5e-324'],
    ['1.7976931348623157e308', '1.7976931348623157e+308'],
  ])('writes the number %s as Python does: %s', (text, written) => {
    expect(rewrite(text)).toBe(written)
  })

  it.each(['1E400', 'NaN', '-Infinity', '01', '+1', '.5', '5.', "{'a':1}", '[1,]', '{a:1}', '1 2'])(
    'refuses %s',
    (text) => {
      expect(rewrite(text)).toBe('not_json')
    },
  )

  it.each(['', '[', '[1', '{"a"', '{"a":', '{"a":1', '"abc', '[tru', '{"a":1,', '"\\'])(
    'says that %s was cut off',
    (text) => {
      expect(rewrite(text)).toBe('truncated')
    },
  )

  it('refuses a raw control character inside text', () => {
    expect(rewrite('"a\nb"')).toBe('not_json')
  })

  it('reads 200 levels and refuses 201', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
    expect(rewrite(nested(200))).toBe(nested(200))
    expect(rewrite(nested(201))).toBe('too_deep')
    expect(rewrite(nested(1_000_000))).toBe('too_deep')
  })

  it('takes another depth', () => {
    expect(parseLossless('[[1]]', { depth: 1 })).toMatchObject({ ok: false })
    expect(stringifyLossless([[1]], { depth: 1 })).toBeUndefined()
  })

  it('says where reading ended', () => {
    expect(parseLossless('{"a": nope}')).toEqual({
      ok: false,
      fault: { kind: 'not_json', message: 'not_json at 10', position: 10 },
    })
  })

  it('writes plain values: whole numbers without a point, undefined properties left out', () => {
    const value = { n: 1, f: 1.5, z: -0, big: 10n ** 20n, u: undefined, l: [undefined, 'x'] }
    expect(stringifyLossless(value)).toBe(
      '{"n": 1, "f": 1.5, "z": -0.0, "big": 100000000000000000000, "l": [null, "x"]}',
    )
    expect(stringifyLossless(Array.from({ length: 2 }))).toBe('[null, null]')
    // oxlint-disable-next-line unicorn/no-new-array -- the places are to be empty
    expect(stringifyLossless(new Array(2))).toBe('[null, null]')
  })

  it('writes a tree and plain values mixed', () => {
    const read = parseLossless('{"b":1.0}') as { value: LosslessValue }
    expect(stringifyLossless({ calls: [read.value] })).toBe('{"calls": [{"b": 1.0}]}')
  })

  it.each([[NaN], [Infinity], [() => 1], [Symbol('x')], [undefined], [{ a: [NaN] }]])(
    'writes nothing for %s, which JSON does not have',
    (value) => {
      expect(stringifyLossless(value)).toBeUndefined()
    },
  )

  it('writes nothing for a ring', () => {
    const ring: unknown[] = []
    ring.push(ring)
    expect(stringifyLossless(ring)).toBeUndefined()
  })

  it('reads back what it wrote, and agrees with JSON.parse on ordinary values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        const written = rewrite(text)
        expect(rewrite(written ?? '')).toBe(written)
        expect(JSON.parse(written ?? '')).toEqual(JSON.parse(text))
        // Beyond the safe range the digits come out as text.
        if (!/\d{16}/.test(text)) expect(plain(text)).toEqual(JSON.parse(text))
      }),
      runs(5000),
    )
  })

  it('refuses exactly what JSON.parse refuses', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      'a',
      '1',
      '-',
      '.',
      'e',
      ' ',
      'null',
      '"k":',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('')
        let parsed = true
        try {
          JSON.parse(text)
        } catch {
          parsed = false
        }
        expect(parseLossless(text).ok).toBe(parsed)
      }),
      runs(50_000),
    )
  })
})

describe('toPlainJson', () => {
  it('gives integers that a double would change as text, or as bigint on demand', () => {
    const read = parseLossless('[9007199254740993, 9007199254740991, 1e25]')
    if (!read.ok) throw new Error(read.fault.message)
    expect(toPlainJson(read.value)).toEqual(['9007199254740993', 9007199254740991, 1e25])
    expect(toPlainJson(read.value, { bigints: 'bigint' })).toEqual([
      9007199254740993n,
      9007199254740991,
      1e25,
    ])
  })

  it('keeps __proto__ as own data, or leaves it out on demand', () => {
    const read = parseLossless('{"__proto__":{"x":1},"a":2}')
    if (!read.ok) throw new Error(read.fault.message)
    const kept = toPlainJson(read.value) as object
    expect(Object.keys(kept)).toEqual(['__proto__', 'a'])
    expect(Object.getPrototypeOf(kept)).toBe(Object.prototype)
    expect(toPlainJson(read.value, { dropProto: true })).toEqual({ a: 2 })
  })

  it('shows numbers as their canonical text', () => {
    const read = parseLossless('1e5')
    expect(read).toEqual({ ok: true, value: new LosslessNumber('100000.0') })
  })
})
