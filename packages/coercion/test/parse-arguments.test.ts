import { describe, expect, it } from 'vitest'

import { createCoercer, parseArguments, type TextFault } from '../src/index.ts'

function valueOf(text: string): unknown {
  const read = parseArguments(text)
  return read.ok ? read.value : read.fault.kind
}

function rulesOf(text: string): readonly string[] {
  const read = parseArguments(text)
  return read.ok ? read.repairs.map(({ rule }) => rule) : []
}

describe('parseArguments', () => {
  it('reads strict JSON without a repair', () => {
    expect(parseArguments('{"a": [1, {"b": null}]}')).toEqual({
      ok: true,
      value: { a: [1, { b: null }] },
      repairs: [],
    })
  })

  it.each(['', '  \n', 'null', 'None', '"null"', '"  "'])('reads %j as no arguments', (text) => {
    expect(valueOf(text)).toEqual({})
    expect(rulesOf(text)).toEqual(['empty'])
  })

  it.each([
    ['{"a":1,}', 'relaxed'],
    ["{'a': 1}", 'relaxed'],
    ['```json\n{"a":1}\n```', 'fence'],
    ['```\n{"a":1}```', 'fence'],
    ["```json\n{'a':1}\n```", 'relaxed'],
    ['"{\\"a\\":1}"', 'encoded-twice'],
    ['"\\"{\\\\\\"a\\\\\\":1}\\""', 'encoded-twice'],
    ['\ufeff{"a":1}', 'relaxed'],
  ])('reads %j and reports it as %s', (text, rule) => {
    expect(parseArguments(text)).toEqual({
      ok: true,
      value: { a: 1 },
      repairs: [{ path: '', from: text, to: { a: 1 }, rule }],
    })
  })

  it('reads Python words, quotes and escapes', () => {
    expect(valueOf(`{'t': True, 'f': False, 'n': None, 'q': 'it\\'s "so"', "d": "it's"}`)).toEqual({
      t: true,
      f: false,
      n: null,
      q: `it's "so"`,
      d: "it's",
    })
  })

  it('reads a fence around text that holds fences', () => {
    expect(valueOf('```json\n{"a":"use ```js\\n1\\n```"}\n```')).toEqual({ a: 'use ```js\n1\n```' })
  })

  it.each([2, 20_000])('takes off one of %i fences', (count) => {
    const text = `${'```\n'.repeat(count)}{"a":1}${'\n```'.repeat(count)}`
    expect(parseArguments(text)).toMatchObject({ ok: false, fault: { kind: 'not_json' } })
    expect(parseArguments('```\n'.repeat(count))).toMatchObject({ ok: false })
    expect(createCoercer({ type: 'object' }).coerceText(text).valid).toBe(false)
    const list = { type: 'object', properties: { a: { type: 'array' } } }
    expect(createCoercer(list).coerce({ a: text }).value).toEqual({ a: text })
  })

  it('reads raw control characters inside text', () => {
    expect(valueOf('{"a":"x\ty\nz"}')).toEqual({ a: 'x\ty\nz' })
    expect(valueOf('{"a":"x\\\\\ny"}')).toEqual({ a: 'x\\\ny' })
  })

  it.each(['{"a":"make \\\n  all"}', "{'a':'C:\\\tmp'}"])(
    'does not guess what a backslash before one of them means: %j',
    (text) => {
      expect(parseArguments(text)).toMatchObject({ ok: false, fault: { kind: 'not_json' } })
    },
  )

  it.each([
    ['{"path":"notes.md","content":"first line"', 'truncated'],
    ['{"path":"notes.md","content":"first li', 'truncated'],
    ['{"a":[1,2', 'truncated'],
    ['{"a":1,', 'truncated'],
    ['{"a":tr', 'truncated'],
    ['{"a":15', 'truncated'],
    ['```json\n{"a":1', 'truncated'],
    ['```json\n{"a":1}', 'truncated'],
    ['```json\n{"a":1}\n``` and more', 'not_json'],
    ['```json\n{"a":1}\n```\n```json\n{"a":2}\n```', 'not_json'],
    ['{"a":1}{"b":2}', 'not_json'],
    ['{a: 1}', 'not_json'],
    ['{"a": 1 // one\n}', 'not_json'],
    ["{'it's': 1}", 'not_json'],
    ['{"a": NaN}', 'not_json'],
    ['cats', 'not_json'],
    ['Here you go: {"a":1}', 'not_json'],
    ['["cats"]', 'not_object'],
    ['5', 'not_object'],
    ['"cats"', 'not_json'],
    ['true', 'not_object'],
  ] as [string, TextFault['kind']][])('refuses %j as %s', (text, kind) => {
    expect(valueOf(text)).toBe(kind)
  })

  it('keeps the digits of integers that a double would change, as text or as bigint', () => {
    const text = '{"id": 9007199254740993, "n": 5, "f": 0.12345678901234567890}'
    expect(parseArguments(text)).toMatchObject({
      value: { id: '9007199254740993', n: 5, f: 0.12345678901234568 },
    })
    expect(parseArguments(text, { bigints: 'bigint' })).toMatchObject({
      value: { id: 9007199254740993n, n: 5 },
    })
  })

  it('keeps them at every place of short, middling and long texts, and takes no digits in text for them', () => {
    for (const shown of ['9007199254740993', '123456789012345678901']) {
      for (let size = 0; size < 500; size += size < 120 ? 1 : 17) {
        const pad = 'x'.repeat(size)
        expect(valueOf(`{"p":"${pad}","n":[${shown}]}`)).toEqual({ p: pad, n: [shown] })
        expect(valueOf(`{"n":-${shown},"p":"${pad}"}`)).toEqual({ n: `-${shown}`, p: pad })
        expect(valueOf(`{"p":"${pad}","n":"${shown}"}`)).toEqual({ p: pad, n: shown })
      }
    }
  })

  it.each(['1e400', '-1E400', '1e0309', '12345678901234567890e300'])(
    'refuses %s, which no double holds, at every place of short and long texts',
    (shown) => {
      for (const pad of ['', 'x'.repeat(200), 'x'.repeat(2000)]) {
        for (const part of [shown, `[0, ${shown}]`, `{"deep": [{"n": ${shown}}]}`]) {
          const fault = { kind: 'not_json', position: expect.any(Number) }
          expect(parseArguments(`{"p":"${pad}","n":${part}}`)).toMatchObject({ ok: false, fault })
        }
      }
      expect(valueOf(`{"n":"${shown}"}`)).toEqual({ n: shown })
    },
  )

  it('reads the largest doubles, and those that come out as zero', () => {
    expect(valueOf('{"n":[1e308, -1.7976931348623157e308, 1e-400, 1e20]}')).toEqual({
      n: [1e308, -Number.MAX_VALUE, 0, 1e20],
    })
  })

  it('drops __proto__ keys, also written with escapes, and changes no prototype', () => {
    for (const key of ['__proto__', '__pr\\u006fto__', '\\u005f_proto__']) {
      const long = `{"p":"${'x'.repeat(200)}","q":{"${key}":{"admin":true}}}`
      expect(Object.keys((valueOf(long) as { q: object }).q)).toEqual([])
      const read = parseArguments(`{"${key}": {"admin": true}, "a": 1}`)
      expect(read).toMatchObject({ ok: true, value: { a: 1 } })
      expect(Object.keys(read.ok ? Object(read.value) : {})).toEqual(['a'])
    }
    expect(Object(valueOf('{"constructor": {"prototype": 1}}'))).toHaveProperty('constructor')
  })

  it('reads 200 levels and refuses more', () => {
    const nested = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)
    expect(parseArguments(nested(200)).ok).toBe(true)
    expect(valueOf(nested(201))).toBe('too_deep')
    expect(valueOf('{"a":'.repeat(100_000))).toBe('too_deep')
  })

  it('refuses text of more than 16 Mi', () => {
    expect(valueOf(`{"a":"${'x'.repeat(16_777_216)}"}`)).toBe('too_large')
  })

  it('stays linear on texts that invite backtracking', () => {
    const started = performance.now()
    for (const text of [
      '"'.repeat(100_000),
      '\\"'.repeat(100_000),
      '```'.repeat(50_000),
      "'".repeat(100_000),
      ' '.repeat(1_000_000),
      `{"a":${'9'.repeat(500_000)}}`,
      `${'\n'.repeat(300_000)}x`,
      '{"a":"' + '\\u00'.repeat(100_000),
    ]) {
      parseArguments(text)
    }
    expect(performance.now() - started).toBeLessThan(5000)
  })
})
