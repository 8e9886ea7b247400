import { readFileSync } from 'node:fs'

import { describe, expect, it } from 'vitest'

import { runAttackVectors, type AttackVector } from '../src/vectors/attacks.ts'

const { vectors } = JSON.parse(
  readFileSync(new URL('../vectors/attacks.json', import.meta.url), 'utf8'),
) as { readonly vectors: readonly AttackVector[] }

describe('the attacks, through a gateway', () => {
  it.each([
    ['http', 72],
    ['cli', 66],
    ['file', 63],
  ])(
    'on %s tools are stopped by the rule that is meant for them',
    async (adapter, count) => {
      const verdicts = await runAttackVectors(
        vectors.filter((vector) => vector.adapter === adapter),
      )
      expect(verdicts).toHaveLength(count)
      expect(verdicts.filter(({ ok }) => ok !== true)).toEqual([])
    },
    120_000,
  )
})
