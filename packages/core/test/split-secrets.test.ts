import type { InvokeContext, Progress } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import type { Gateway } from '../src/index.ts'
import { leakyCall as call, leakyGateway } from './leaky.ts'

const leakyCall = { ...call, id: 'c' }
const secret = 'p@ss/w0rd-very-long'

type Told = Pick<Progress, 'note' | 'partial'>

/** A gateway whose tool gives its progress in these pieces, and what its caller is told of it. */
function telling(run: (context: InvokeContext) => void | Promise<void>): {
  readonly gateway: Gateway
  readonly told: Told[]
  readonly onProgress: (progress: Progress) => void
} {
  const told: Told[] = []
  const gateway = leakyGateway(
    async (host, context) => {
      host.secret('KEY')
      await run(context)
      return { data: null }
    },
    { secrets: () => secret },
  )
  return {
    gateway,
    told,
    onProgress: ({ callId, ...more }) => void told.push(callId === 'c' ? more : {}),
  }
}

const text = (piece: string) => ({ partial: { type: 'text', text: piece } }) as const

/** All that was told, by the note that came with it. */
function allOf(told: readonly Told[], note?: string): string {
  return told
    .filter((one) => one.note === note)
    .map(({ partial }) => (partial?.type === 'text' ? partial.text : ''))
    .join('')
}

describe('a secret that comes in several pieces of a text', () => {
  it.each([
    ['as it is', secret],
    ['in Base64', btoa(secret)],
    ['as hexadecimal digits', Buffer.from(secret).toString('hex')],
  ])('is not shown %s, wherever it is split', async (_, written) => {
    const splits = Array.from({ length: written.length - 1 }, async (_each, at) => {
      const { gateway, told, onProgress } = telling(({ progress }) => {
        progress(text(`key ${written.slice(0, at + 1)}`))
        progress(text(`${written.slice(at + 1)}.`))
      })
      await gateway.dispatch(leakyCall, { onProgress })
      return allOf(told)
    })
    for (const shown of await Promise.all(splits)) expect(shown).toMatch(/^key \[redacted\].{0,4}$/)
  })

  it('is not shown where it comes character by character', async () => {
    const { gateway, told, onProgress } = telling(({ progress }) => {
      for (const piece of `key ${secret}.`) progress(text(piece))
    })
    await gateway.dispatch(leakyCall, { onProgress })
    expect(allOf(told)).toBe('key [redacted].')
  })

  it('is not shown where another output comes between', async () => {
    const { gateway, told, onProgress } = telling(({ progress }) => {
      progress({ note: 'stdout', ...text(secret.slice(0, 9)) })
      progress({ note: 'stderr', ...text('warning') })
      progress({ note: 'stdout', ...text(secret.slice(9)) })
    })
    await gateway.dispatch(leakyCall, { onProgress })
    expect([allOf(told, 'stdout'), allOf(told, 'stderr')]).toEqual(['[redacted]', 'warning'])
  })
})

describe('a text that ends as a secret begins', () => {
  it('is shown whole, the rest with what comes next', async () => {
    const { gateway, told, onProgress } = telling(({ progress }) => {
      progress(text('step p@ss'))
      progress(text('ed'))
    })
    await gateway.dispatch(leakyCall, { onProgress })
    expect(told).toEqual([text('step '), text('p@ssed')])
  })

  it('is shown whole before the result is there, under the note that it had', async () => {
    const { gateway, told, onProgress } = telling(({ progress }) => {
      progress({ note: 'stdout', ...text('up') })
    })
    const seen = gateway.dispatch(leakyCall, { onProgress }).then(() => told.length)
    expect(await seen).toBe(2)
    expect(allOf(told, 'stdout')).toBe('up')
  })

  it('is not told of any more when the call was stopped', async () => {
    const stop = new AbortController()
    const { gateway, told, onProgress } = telling(({ progress }) => {
      progress(text('up'))
      stop.abort()
    })
    await gateway.dispatch(leakyCall, { onProgress, signal: stop.signal })
    expect(told).toEqual([text('u')])
  })

  it('is not kept for ever where each piece has a note of its own', async () => {
    const { gateway, told, onProgress } = telling(({ progress }) => {
      for (let line = 0; line < 100; line++) progress({ note: `line ${line}`, ...text('up') })
      expect(told.length).toBeGreaterThan(180)
    })
    const { error } = await gateway.dispatch(leakyCall, { onProgress })
    expect(error).toBeUndefined()
    expect(told.map(({ note }) => allOf(told, note))).toEqual(told.map(() => 'up'))
  })
})
