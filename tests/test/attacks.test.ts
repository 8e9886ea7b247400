import { readFileSync } from 'node:fs'

import { describe, expect, it } from 'vitest'

import { runAttackVectors, type AttackVector } from '../src/vectors/attacks.ts'

const { vectors } = JSON.parse(
  readFileSync(new URL('../vectors/attacks.json', import.meta.url), 'utf8'),
) as { readonly vectors: readonly AttackVector[] }

describe('the attacks, through a gateway', () => {
  it('on HTTP tools are stopped by the rule that is meant for them', async () => {
    const verdicts = await runAttackVectors(vectors.filter(({ adapter }) => adapter === 'http'))
    expect(verdicts.length).toBeGreaterThan(70)
    expect(verdicts.filter(({ ok }) => ok !== true)).toEqual([])
  })
})
