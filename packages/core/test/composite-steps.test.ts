import { ToolError } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { gatewayOf, tool } from './tools.ts'

const text = Array.from({ length: 20_000 }, (_, line) => `line ${line}`).join('\n')

describe('a step of a composite tool', () => {
  it('gets the whole of what the step before it gave, however long', async () => {
    let written: unknown
    const read = tool('read', () => text)
    const write = tool('write', (args) => {
      written = (args as { text: unknown }).text
      return 'written'
    })
    const copy = {
      namespace: 'local',
      name: 'copy',
      description: 'Copies.',
      parameters: { type: 'object' },
      backend: {
        adapter: 'composite',
        steps: [{ tool: 'local::read' }, { tool: 'local::write', arguments: { text: '{0}' } }],
      },
    } as const
    const gateway = gatewayOf([read, write, copy])
    const result = await gateway.dispatch({ name: 'copy', arguments: {} })
    expect(result).toMatchObject({ status: 'ok', data: 'written' })
    expect(written).toBe(text)
  })

  it('gets what its template names, in one pair of braces or two', async () => {
    const fill = {
      namespace: 'local',
      name: 'fill',
      description: 'Fills.',
      parameters: { type: 'object', properties: { x: { type: 'integer' } } },
      backend: {
        adapter: 'composite',
        steps: [
          {
            tool: 'local::echo',
            arguments: { one: '{x}', two: '{{x}}', text: '{{x}}/{x}/{{ .x }}/{"x":{{x}}}' },
          },
        ],
      },
    } as const
    const gateway = gatewayOf([tool('echo', (args) => args), fill])
    const { data } = await gateway.dispatch({ name: 'fill', arguments: { x: 7 } })
    expect(data).toEqual({ one: 7, two: 7, text: '7/7/{{ .x }}/{"x":7}' })
  })

  it('that a person has to approve is refused where nobody can be asked, and leaves no ticket', async () => {
    const waiting: unknown[] = []
    const approvals = {
      durable: true,
      put: async (request: unknown) => void waiting.push(request),
      decide: async () => 'gone' as const,
      claim: async () => undefined,
      withdraw: async () => {},
      list: async () => [],
      grant: async () => {},
      granted: async () => false,
    }
    const steps = [{ tool: 'local::confirmed' }]
    const only = {
      namespace: 'local',
      name: 'only',
      description: 'Does it.',
      parameters: { type: 'object' },
      backend: { adapter: 'composite', steps },
    } as const
    const confirmed = tool('confirmed', () => 'ran', { confirm: true })
    const gateway = gatewayOf([confirmed, only], { ports: { approvals } })
    const result = await gateway.dispatch({ name: 'only', arguments: {} })
    expect(result).toMatchObject({ status: 'error', data: { code: 'approval_denied' } })
    expect(result.error?.message).toContain('nobody can be asked here')
    expect(waiting).toEqual([])
    const alone = await gateway.dispatch({ name: 'confirmed', arguments: {} })
    expect(alone.status).toBe('pending')
    expect(waiting).toHaveLength(1)
  })

  it.each([
    ['unknown', ['works', 'lost']],
    ['not_started', ['missing']],
    ['not_started', ['confirmed', 'works']],
    ['done', ['works', 'missing']],
    ['done', ['works', 'works']],
  ] as const)('makes the outcome %s in %j', async (outcome, steps) => {
    const lost = tool('lost', () => {
      throw new ToolError({ code: 'backend_error', message: 'Cut.', started: 'unknown' })
    })
    const both = {
      namespace: 'local',
      name: 'both',
      description: 'Does both.',
      parameters: { type: 'object' },
      backend: { adapter: 'composite', steps: steps.map((step) => ({ tool: `local::${step}` })) },
    } as const
    const confirmed = tool('confirmed', () => 'ran', { confirm: true })
    const works = tool('works', () => 'done')
    const gateway = gatewayOf([lost, confirmed, works, both], { policy: { loops: false } })
    const { metadata } = await gateway.dispatch({ name: 'both', arguments: {} })
    expect(metadata.outcome).toBe(outcome)
  })

  it('does not tell the outcome of the fallback that answers after it', async () => {
    let attempts = 0
    const lost = tool('lost', () => {
      if (++attempts > 1) return new Promise(() => {})
      throw new ToolError({ code: 'backend_error', message: 'Cut.', started: 'unknown' })
    })
    const first = {
      namespace: 'local',
      name: 'first',
      description: 'Does it.',
      parameters: { type: 'object' },
      effects: { idempotent: true },
      timeoutMs: 200,
      retry: { maxRetries: 1, backoff: 'fixed', initialDelayMs: 0, retryable: ['tool_failed'] },
      fallback: ['local::second'],
      backend: { adapter: 'composite', steps: [{ tool: 'local::lost' }] },
    } as const
    const gateway = gatewayOf([lost, first, tool('second', () => 'ran')])
    const { data, metadata } = await gateway.dispatch({ name: 'first', arguments: {} })
    expect({ data, outcome: metadata.outcome }).toEqual({ data: 'ran', outcome: 'done' })
  })

  it('is shortened as the result of the tool where it is the last', async () => {
    const steps = [{ tool: 'local::read' }]
    const only = {
      namespace: 'local',
      name: 'only',
      description: 'Reads.',
      parameters: { type: 'object' },
      backend: { adapter: 'composite', steps },
    } as const
    const gateway = gatewayOf([tool('read', () => text), only])
    const { data, metadata } = await gateway.dispatch({ name: 'only', arguments: {} })
    expect((data as string).length).toBeLessThan(text.length)
    const page = await gateway.dispatch({
      name: 'result_read',
      arguments: { blob: metadata.truncated?.blobId, from_line: 10_000, lines: 1 },
    })
    expect(page.data).toMatchObject({ text: 'line 9999' })
  })
})
