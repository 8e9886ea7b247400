import { describe, expect, it } from 'vitest'

import { runFaultProbes, type ProbeOutcome } from '../src/fault-probes.ts'

const outcomes = await runFaultProbes()

function outcomeOf(fault: string): ProbeOutcome {
  const outcome = outcomes.find((one) => one.fault === fault)
  if (outcome === undefined) throw new Error(`there is no probe "${fault}"`)
  return outcome
}

describe('the ten fault probes', () => {
  it('are ten, and each call of each has its one result', () => {
    expect(outcomes.map(({ results }) => results.length)).toEqual([2, 2, 1, 1, 2, 1, 1, 2, 1, 6])
  })

  it('a name that no tool has is answered with near names, and the call beside it runs', () => {
    const { shown, results } = outcomeOf('unknown tool next to a good one')
    expect(results.map(({ status }) => status)).toEqual(['error', 'ok'])
    expect(shown[0]).toMatch(/There is no tool named "raed"[^]*read/)
    expect(shown[1]).toBe('content of /a')
  })

  it('a tool that throws is answered with its reason and no stack, and the call beside it runs', () => {
    const { shown, results } = outcomeOf('throwing tool next to a good one')
    expect(results.map(({ status }) => status)).toEqual(['error', 'ok'])
    expect(shown[0]).toContain('the disk is full')
    expect(shown[0]).not.toMatch(/\n\s+at |\.ts|node_modules/)
    expect(shown[1]).toBe('content of /a')
  })

  it('an integer sent as text reaches the tool as an integer', () => {
    const { ran, results } = outcomeOf('"7" for an integer')
    expect(ran).toEqual([{ path: '/a', limit: 7 }])
    expect(results[0]?.metadata.repairs).toMatchObject([{ path: '/limit', from: '7', to: 7 }])
  })

  it('a list sent as JSON text reaches the tool as that list', () => {
    const { ran, results } = outcomeOf(`'["a","b"]' for a list`)
    expect(ran).toEqual([{ path: '/a', tags: ['a', 'b'] }])
    expect(results[0]?.metadata.repairs).toMatchObject([{ path: '/tags', to: ['a', 'b'] }])
  })

  it('two calls with one id both run and are answered under ids that differ', () => {
    const { shown, results } = outcomeOf('same call id twice')
    expect(shown).toEqual(['content of /a', 'content of /b'])
    const ids = results.map(({ callId }) => callId)
    expect(ids[0]).toBe('same')
    expect(new Set(ids).size).toBe(2)
  })

  it('a value that JSON cannot hold is shown as far as JSON can, to the last digit', () => {
    const { shown, results } = outcomeOf('big integer and cycle')
    expect(results[0]?.status).toBe('ok')
    expect(JSON.parse(shown[0] ?? '')).toEqual({
      total: '12345678901234567890',
      self: '[circular]',
    })
  })

  it('a text of 2 MB is shown by head and tail, with a way to read the whole', () => {
    const { shown, results } = outcomeOf('2 MB text')
    expect(shown[0]?.length).toBeLessThan(101_000)
    expect(shown[0]).toMatch(/^first line\n/)
    expect(shown[0]).toContain('last line')
    const { truncated } = results[0]!.metadata
    expect(truncated).toMatchObject({ totalBytes: 2_000_021 })
    expect(shown[0]).toContain(truncated?.blobId)
  })

  it('a call named like a property of every object is a call of no tool', () => {
    const { shown, results } = outcomeOf('call named constructor')
    expect(results.map(({ status }) => status)).toEqual(['error', 'ok'])
    expect(results[0]?.error?.code).toBe('tool_not_found')
    expect(shown[1]).toBe('content of /a')
  })

  it('a stopped turn settles within 100 ms although its tool goes on, and says that the effect is not known', () => {
    const { shown, results, tookMs } = outcomeOf('abort at 0.1 s, tool ignores it for 2 s')
    expect(tookMs).toBeLessThanOrEqual(200)
    expect(results[0]).toMatchObject({ status: 'cancelled', metadata: { outcome: 'unknown' } })
    expect(shown[0]).toMatch(/may have had its effect/)
  })

  it('a call made again and again is told from the third on, and stopped with a reason at the sixth', () => {
    const { shown, ran, results } = outcomeOf('same call six turns')
    expect(shown.slice(0, 2)).toEqual(['content of /a', 'content of /a'])
    expect(shown.slice(2, 5).every((text) => /call number \d .*same arguments/.test(text))).toBe(
      true,
    )
    expect(results[5]?.error?.code).toBe('repeated_failure')
    expect(shown[5]).toMatch(/5 times in a row with the same arguments, and nothing new came of it/)
    expect(ran).toHaveLength(5)
  })
})
