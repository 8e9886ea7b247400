import { readFileSync } from 'node:fs'

import { describe, expect, it } from 'vitest'

import { type EverythingFile, runMcpEverything } from '../src/vectors/mcp-everything.ts'

const file = JSON.parse(
  readFileSync(new URL('../vectors/mcp-everything.json', import.meta.url), 'utf8'),
) as EverythingFile

describe('the reference server, through the gateway', () => {
  it('answers as recorded, over stdio and HTTP', { timeout: 120_000 }, async () => {
    const verdicts = await runMcpEverything(file)
    expect(verdicts.filter(({ ok }) => ok !== true)).toEqual([])
    expect(verdicts).toHaveLength(file.cases.length)
  })
})
