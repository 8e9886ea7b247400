import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect } from 'vitest'

export const main = new URL('../src/main.ts', import.meta.url).pathname

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs `start` as the command of the README does; `input` is what stands on standard input. */
export function start(
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  input = '',
): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ['--conditions=@callgate/source', main, ...args],
      { env: { ...env, NO_COLOR: '1' }, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        resolve({
          code: error === null ? 0 : ((error as { code?: number }).code ?? 1),
          stdout,
          stderr,
        })
      },
    )
    child.stdin?.end(input)
  })
}

/** Stderr without the line that a busy machine, where servers start slowly, makes it say. */
export function withoutWaiting(stderr: string): string {
  return stderr.replace(/^waiting up to .*\n/, '')
}

export let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'callgate-playground-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

export async function file(name: string, content: unknown): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

export const shapes = {
  'openai-chat': (calls: string) => ({
    choices: [
      {
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'tool_call', arguments: calls } },
          ],
        },
      },
    ],
  }),
  'openai-responses': (calls: string) => ({
    output: [
      { type: 'reasoning', id: 'rs_1', encrypted_content: 'x', summary: [] },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'tool_call', arguments: calls },
    ],
  }),
  anthropic: (calls: string) => ({
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 't', signature: 's' },
      { type: 'tool_use', id: 'toolu_1', name: 'tool_call', input: JSON.parse(calls) as unknown },
    ],
  }),
  bedrock: (calls: string) => ({
    output: {
      message: {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 't', signature: 's' } } },
          {
            toolUse: {
              toolUseId: 'tooluse_1',
              name: 'tool_call',
              input: JSON.parse(calls) as unknown,
            },
          },
        ],
      },
    },
  }),
} as const

export const twoCalls = JSON.stringify({
  calls: [
    { name: 'git__log', arguments: { max_count: '1' } },
    { name: 'http__tickets__list_tickets', arguments: { limit: '1' } },
  ],
})

/** One line on stderr, nothing on stdout, no stack. */
export function expectOneLine({ stdout, stderr }: Ran): void {
  expect(stdout).toBe('')
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(stderr).not.toMatch(/\bat .*:\d+:\d+/)
}
