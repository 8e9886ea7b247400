import { createHookBus } from '@callgate/hooks'
import { ToolError, type CallgateEvents, type ToolResult } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { gatewayOf, tool } from './tools.ts'

function resultWith(data: unknown): Promise<ToolResult> {
  const hooks = createHookBus<CallgateEvents>()
  hooks.on('post_tool_call', () => {})
  const failing = tool('failing', () => {
    throw new ToolError({
      code: 'backend_error',
      message: 'It said no.',
      started: 'no',
      backend: { code: 7, data },
    })
  })
  return gatewayOf([failing], { hooks }).dispatch({ name: 'failing', arguments: {} })
}

function nested(levels: number): object {
  let value: object = {}
  for (let level = 0; level < levels; level++) value = { value }
  return value
}

describe('what the other side said', () => {
  it.each([
    ['a big integer', 10n, '10'],
    ['an object', { reason: 'quota' }, { reason: 'quota' }],
  ])('is JSON in the result where it is %s', async (_, data, expected) => {
    const result = await resultWith(data)
    expect(JSON.parse(JSON.stringify(result.error?.backend))).toEqual({ code: 7, data: expected })
  })

  it('may be nested however deep', async () => {
    const result = await resultWith(nested(50_000))
    expect(result).toMatchObject({ status: 'error', error: { message: 'It said no.' } })
    expect(() => JSON.stringify(result)).not.toThrow()
  })

  it('is left out where it is longer than a result should be', async () => {
    const { error } = await resultWith('x'.repeat(1_000_000))
    expect(error).toMatchObject({ backend: { code: 7, data: '[too long to be shown]' } })
  })

  it('is not frozen where the tool keeps it', async () => {
    const data = { reason: 'quota' }
    await resultWith(data)
    expect(Object.isFrozen(data)).toBe(false)
  })
})
