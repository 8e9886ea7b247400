import { describe, expect, it } from 'vitest'

import { runVectorFolder } from '../src/vector-files.ts'

const folder = new URL('../vectors', import.meta.url).pathname

describe('the vectors kept in the project', () => {
  it.each(['expansion', 'hook', 'pipeline'])('%s.json passes whole', async (name) => {
    const [file] = await runVectorFolder(folder, name)
    expect(file?.verdicts.length).toBeGreaterThan(30)
    expect(file?.verdicts.filter(({ ok }) => ok !== true)).toEqual([])
  })
})
