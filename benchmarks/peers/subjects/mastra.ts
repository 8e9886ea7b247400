import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'

import { text } from '../../src/dispatch.ts'
import { callIds, calls, turns, type PeerSubject } from './subject.ts'
import { zodParameters } from './zod-parameters.ts'

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }

const calling = callIds.map((toolCallId) => ({
  type: 'tool-call' as const,
  toolCallId,
  toolName: 'read',
  input: text,
}))

interface Prompted {
  readonly prompt: readonly { readonly role: string }[]
}

const answered = ({ prompt }: Prompted): boolean => prompt.some(({ role }) => role === 'tool')

/** Calls the tool, and says so when it has the answers. */
const model = {
  specificationVersion: 'v2',
  provider: 'none',
  modelId: 'none',
  supportedUrls: {},
  doGenerate: async (options: Prompted) =>
    answered(options)
      ? {
          content: [{ type: 'text', text: 'done' }],
          finishReason: 'stop',
          usage,
          warnings: [],
        }
      : { content: calling, finishReason: 'tool-calls', usage, warnings: [] },
  doStream: async (options: Prompted) => {
    const parts: readonly object[] = answered(options)
      ? [
          { type: 'text-start', id: 't' },
          { type: 'text-delta', id: 't', delta: 'done' },
          { type: 'text-end', id: 't' },
          { type: 'finish', finishReason: 'stop', usage },
        ]
      : [...calling, { type: 'finish', finishReason: 'tool-calls', usage }]
    const stream = new ReadableStream<object>({
      start(controller) {
        controller.enqueue({ type: 'stream-start', warnings: [] })
        for (const part of parts) controller.enqueue(part)
        controller.close()
      },
    })
    return { stream }
  },
}

/** Mastra: a tool by itself, and an agent. */
export function subjects(): readonly PeerSubject[] {
  const read = createTool({
    id: 'read',
    description: 'Reads.',
    inputSchema: zodParameters,
    execute: async ({ path }) => path,
  })
  const agent = new Agent({
    id: 'a',
    name: 'a',
    instructions: 'x',
    model: model as never,
    tools: { read },
  })
  return [
    calls('Mastra tool.execute', 1000, async () => {
      const result: unknown = await read.execute?.(JSON.parse(text) as never, {} as never)
      return result === '/a/b/c'
    }),
    turns('Mastra agent.generate', 100, async () => {
      const { steps } = await agent.generate('x')
      return steps.reduce((sum, { toolResults }) => sum + toolResults.length, 0)
    }),
  ]
}
