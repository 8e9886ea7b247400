import { describe, expect, it } from 'vitest'

import { readTools } from '../src/index.ts'
import { gatewayOf, refusal, tool } from './tools.ts'

describe('a composite tool', () => {
  const find = tool('find', ({ q }: { q: string }) => ({ hits: [{ id: 7, title: q }] }))
  const read = tool('read', ({ id }: { id: number }) => `note ${id}`, {
    parameters: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
  })
  const composite = (steps: unknown) => ({
    namespace: 'local',
    name: 'find_and_read',
    description: 'Finds a note and reads it.',
    parameters: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
    backend: { adapter: 'composite', steps },
  })
  const steps = [
    { tool: 'local::find', arguments: { q: '{q}' } },
    { tool: 'local::read', arguments: { id: '{0/hits/0/id}' } },
  ]

  it('runs its steps one after another, each of them a call of its own', async () => {
    const audit: object[] = []
    const gateway = gatewayOf([find, read, composite(steps)], {
      ports: { audit: { append: (entry) => void audit.push(entry) } },
    })
    const result = await gateway.dispatch({
      id: 'c',
      name: 'find_and_read',
      arguments: { q: '{0}' },
    })
    expect(result).toMatchObject({ status: 'ok', tool: 'local::find_and_read', data: 'note 7' })
    expect(audit).toMatchObject([
      { tool: 'local::find', parentCallId: 'c', arguments: { q: '{0}' } },
      { tool: 'local::read', parentCallId: 'c', arguments: { id: 7 } },
      { tool: 'local::find_and_read' },
    ])
  })

  it('fills in parameters whatever they are called, and leaves other text in braces alone', async () => {
    const echo = tool('echo', (args) => args)
    const filled = [
      {
        tool: 'local::echo',
        arguments: {
          whole: '{文件 名}',
          inside: 'of {文件 名} and {$x}',
          css: 'a { color: red }',
          gone: '{gone}',
        },
      },
    ]
    const gateway = gatewayOf([echo, composite(filled)])
    const { data } = await gateway.dispatch({
      name: 'local::find_and_read',
      arguments: { q: 'x', '文件 名': 'f', $x: 2 },
    })
    expect(data).toEqual({ whole: 'f', inside: 'of f and 2', css: 'a { color: red }' })
  })

  it('ends at the first step that is not ok, and says which', async () => {
    const gateway = gatewayOf([
      find,
      read,
      composite([
        { tool: 'local::find', arguments: { q: 'x' } },
        { tool: 'local::read', arguments: { id: '{0/nothing}' } },
      ]),
    ])
    expect(await gateway.dispatch({ name: 'find_and_read', arguments: { q: 'x' } })).toMatchObject({
      status: 'error',
      data: { done: 1, failed: 'local::read', code: 'invalid_arguments' },
      error: {
        code: 'tool_failed',
        message: expect.stringContaining('Step 2 (local::read)') as string,
      },
    })
  })

  it.each([
    [{ steps: [{ tool: 'local::find', argument: {} }] }, '/steps/0/argument', '"arguments"'],
    [{ steps: [steps[0], { tol: 'local::find' }] }, '/steps/1/tol', '"tool"'],
    [{ steps: [{ tool: 5 }] }, '/steps/0/tool', 'quotes'],
    [{ steps: [null] }, '/steps/0', ''],
    [{ step: steps }, '/step', '"steps"'],
    [{ steps, stesp: steps }, '/stesp', '"steps"'],
    [{ steps: {} }, '/steps', ''],
    [{}, '/steps', ''],
  ])('with a misspelt block is refused: %j', (block, where, hint) => {
    const { backend: _, ...rest } = composite(steps)
    const backend = { adapter: 'composite', ...block }
    const added = refusal(() => gatewayOf([{ ...rest, backend }]))
    expect(added?.where).toBe(`local::find_and_read#/backend${where}`)
    expect(added?.hint).toContain(hint)
    const declared = refusal(() => readTools([{ ...rest, backend }]))
    expect(declared?.where).toBe(`/0/backend${where}`)
    expect(declared?.hint).toContain(hint)
    const beside = refusal(() => readTools({ ...rest, ...backend }))
    expect(beside?.where).toBe(where)
    expect(beside?.hint).toContain(hint)
  })

  it('that calls itself ends, and one without steps is refused', async () => {
    const gateway = gatewayOf([
      composite([{ tool: 'local::find_and_read', arguments: { q: 'x' } }]),
    ])
    expect((await gateway.dispatch({ name: 'find_and_read', arguments: { q: 'x' } })).status).toBe(
      'error',
    )
    expect(() => gatewayOf([composite([])])).toThrow(
      /backend\.steps is a list; expected a list of at least one/,
    )
  })
})
