import { readFileSync } from 'node:fs'

import { describe, expect, it } from 'vitest'

import { runCoercionVectors, type CoercionVector } from '../src/vectors/coercion.ts'

function vectorsOf(file: string): CoercionVector[] {
  const path = new URL(`../vectors/${file}.json`, import.meta.url)
  return JSON.parse(readFileSync(path, 'utf8')) as CoercionVector[]
}

describe.each(['coercion', 'coercion-bugs'])('the vectors of %s.json', (file) => {
  const verdicts = runCoercionVectors(vectorsOf(file))

  it('are there', () => {
    expect(verdicts.length).toBeGreaterThan(50)
  })

  it.each(verdicts)('$id passes', ({ ok, detail }) => {
    expect(detail).toBe('')
    expect(ok).toBe(true)
  })
})

describe('the runner', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } } }

  it('fails a vector whose answer differs', () => {
    const [verdict] = runCoercionVectors([
      { id: 'x', kind: 'coerce', schema, args: { n: '1' }, expected: { n: 2 } },
    ])
    expect(verdict).toEqual({ id: 'x', ok: false, detail: 'got {"n":1}, expected {"n":2}' })
  })

  it('fails a vector whose validity differs', () => {
    const [verdict] = runCoercionVectors([
      {
        id: 'x',
        kind: 'coerce',
        schema,
        args: { n: '1' },
        expected: { n: 1 },
        expected_valid: false,
      },
    ])
    expect(verdict?.detail).toBe('valid is true')
  })

  it('fails a vector of a kind it does not know', () => {
    expect(runCoercionVectors([{ id: 'x', kind: 'other' }])[0]?.ok).toBe(false)
  })
})
