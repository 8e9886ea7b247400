import { ToolError } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { toolOutput } from '../src/index.ts'
import { gatewayOf, tool } from './tools.ts'

async function messageOf(run: () => unknown): Promise<string | undefined> {
  const gateway = gatewayOf([tool('a', run)])
  return (await gateway.dispatch({ name: 'a', arguments: {} })).error?.message
}

const texts: readonly (readonly [text: string, message: string])[] = [
  [
    '### Error\nError: page.goto: net::ERR_ABORTED\nCall log:',
    'Error: page.goto: net::ERR_ABORTED',
  ],
  ['# Not found\r\n\r\nThe file a.txt is not there.', 'Not found: The file a.txt is not there.'],
  ['## Failed:\n### Details\nno space', 'Failed: no space'],
  ['Validation failed:\n  - name is missing', 'Validation failed: - name is missing'],
  ['```\nboom\n```', 'boom'],
  ['---\n\nboom', 'boom'],
  ['one line\nand more', 'one line'],
  ['### Error', '### Error'],
  ['Failed:', 'Failed:'],
  ['Failed:\n    at run (/home/ada/tool.js:1:2)', 'Failed:'],
  ['```', 'The tool says that it failed.'],
]

describe('the message of a tool that says that it failed', () => {
  it.each(texts)('%j is told as %j', async (text, message) => {
    const content = [{ type: 'text', text }] as const
    expect(await messageOf(() => toolOutput({ isError: true, content }))).toBe(message)
  })

  it('is made by the same rule where the tool throws', async () => {
    const text = '### Error\nno space'
    const throwing = (error: Error) => (): never => {
      throw error
    }
    expect(await messageOf(throwing(new Error(text)))).toBe('Error: no space')
    const error = new ToolError({ code: 'tool_failed', message: text, started: 'yes' })
    expect(await messageOf(throwing(error))).toBe('Error: no space')
  })
})
