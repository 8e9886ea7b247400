import { readFileSync } from 'node:fs'

import { describe, expect, it } from 'vitest'

import { runAttackVectors, type AttackVector } from '../src/vectors/attacks.ts'

const { vectors } = JSON.parse(
  readFileSync(new URL('../vectors/attacks.json', import.meta.url), 'utf8'),
) as { readonly vectors: readonly AttackVector[] }

describe('the attacks on files, through a gateway', () => {
  it('are stopped by the rule that is meant for them, and look-alikes are let through', async () => {
    const verdicts = await runAttackVectors(vectors.filter(({ adapter }) => adapter === 'file'))
    expect(verdicts.length).toBeGreaterThan(60)
    expect(verdicts.filter(({ ok }) => ok !== true)).toEqual([])
  })
})
