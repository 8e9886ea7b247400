import { describe, expect, it } from 'vitest'

import { planTurn } from '../src/index.ts'
import { gatewayOf, tool } from './tools.ts'

const oddResources: readonly (readonly [what: string, give: () => unknown])[] = [
  ['nothing in a list', () => ({ write: [undefined] })],
  ['a number in a list', () => ({ read: [5] })],
  ['a text in place of a list', () => ({ write: 'path' })],
  ['null', () => null],
  ['null in place of a list', () => ({ write: null })],
  ['a promise that is rejected', () => Promise.reject(new Error('no'))],
  [
    'a getter that throws',
    () => ({
      get write(): never {
        throw new Error('no')
      },
    }),
  ],
]

function writer(give: (args: { path: string }) => unknown): ReturnType<typeof tool> {
  return tool('save', () => 1, { effects: { resources: give as never } })
}

function plannedOf(give: () => unknown): ReturnType<typeof planTurn> {
  const planned = { tool: writer(give) as never, arguments: {} }
  return planTurn([planned, planned])
}

describe('a turn whose tools say what they touch', () => {
  for (const [what, give] of oddResources) {
    it(`runs a call alone whose resources are ${what}`, async () => {
      expect(plannedOf(give)).toEqual([['sequential', [0, 1]]])
      const { results } = await gatewayOf([writer(give)]).runTurn({
        toolCalls: [
          { id: '1', name: 'save', arguments: {} },
          { id: '2', name: 'save', arguments: {} },
        ],
      })
      expect(results.map(({ status }) => status)).toEqual(['ok', 'ok'])
    })
  }

  it('keeps apart what is above or below what another call writes', () => {
    const planned = (...paths: string[]): ReturnType<typeof planTurn> =>
      planTurn(
        paths.map((path) => ({
          tool: writer((args) => ({ write: [args.path] })) as never,
          arguments: { path },
        })),
      )
    expect(planned('a/b', 'a/c', 'ab')).toEqual([['parallel', [0, 1, 2]]])
    expect(planned('a/b', 'a')).toEqual([['sequential', [0, 1]]])
    expect(planned('a/', 'a/b/c')).toEqual([['sequential', [0, 1]]])
    expect(planned('/x', '/')).toEqual([['sequential', [0, 1]]])
  })

  it('plans ten thousand writers of places of their own as one', () => {
    const save = writer((args) => ({ write: [args.path] })) as never
    const calls = Array.from({ length: 10_000 }, (_, index) => ({
      tool: save,
      arguments: { path: `data/${index % 100}/file-${index}` },
    }))
    expect(planTurn(calls)).toHaveLength(1)
  })
})
