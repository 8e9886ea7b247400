import { executeTool } from '@ai-sdk/provider-utils'
import { generateText, tool } from 'ai'

import { text } from '../../src/dispatch.ts'
import { callIds, calls, turns, type PeerSubject } from './subject.ts'
import { zodParameters } from './zod-parameters.ts'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

function modelThatCalls(ids: readonly string[]): Parameters<typeof generateText>[0]['model'] {
  return {
    specificationVersion: 'v4',
    provider: 'none',
    modelId: 'none',
    supportedUrls: {},
    doGenerate: async () => ({
      content: ids.map((toolCallId) => ({
        type: 'tool-call' as const,
        toolCallId,
        toolName: 'read',
        input: text,
      })),
      finishReason: { unified: 'tool-calls' as const, raw: undefined },
      usage,
      warnings: [],
    }),
    doStream: async () => {
      throw new Error('nobody streams here')
    },
  }
}

/** AI SDK 7: `executeTool`, which validates nothing, and `generateText`, which does. */
export function subjects(): readonly PeerSubject[] {
  const read = tool({
    description: 'Reads.',
    inputSchema: zodParameters,
    execute: async ({ path }) => path,
  })
  const generate = (ids: readonly string[]): (() => Promise<number>) => {
    const model = modelThatCalls(ids)
    return async () =>
      (await generateText({ model, tools: { read }, prompt: 'x' })).toolResults.length
  }
  const single = generate(callIds.slice(0, 1))
  return [
    calls('AI SDK executeTool (validates nothing)', 1000, async () => {
      const parts = executeTool({
        tool: read,
        input: JSON.parse(text) as never,
        options: { toolCallId: 'c', messages: [], context: {} } as never,
      })
      for await (const part of parts) if (part.type === 'final') return part.output === '/a/b/c'
      return false
    }),
    calls('AI SDK generateText, one call a turn', 20, async () => (await single()) === 1),
    turns('AI SDK generateText', 100, generate(callIds)),
  ]
}
