import {
  runAgentLoop,
  runToolCall,
  type AgentTool,
  type StreamFn,
} from '@earendil-works/pi-agent-core'
import { createAssistantMessageEventStream, type AssistantMessage } from '@earendil-works/pi-ai'

import { parameters, text } from '../../src/dispatch.ts'
import { callIds, calls, turns, type PeerSubject } from './subject.ts'

const read: AgentTool = {
  name: 'read',
  label: 'Read',
  description: 'Reads.',
  parameters,
  execute: async (_id: string, { path }: { path: string }) => ({
    content: [{ type: 'text', text: path }],
    details: undefined,
  }),
} as never

const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }
const model = {
  id: 'none',
  name: 'none',
  api: 'none',
  provider: 'none',
  baseUrl: '',
  reasoning: false,
  input: ['text'],
  cost: free,
  contextWindow: 100_000,
  maxTokens: 1000,
}

function message(
  content: AssistantMessage['content'],
  stopReason: 'stop' | 'toolUse',
): AssistantMessage {
  return {
    role: 'assistant',
    content,
    api: 'none',
    provider: 'none',
    model: 'none',
    usage: { ...free, totalTokens: 0, cost: free },
    stopReason,
    timestamp: 1,
  } as AssistantMessage
}

function callOf(id: string): { type: 'toolCall'; id: string; name: string; arguments: never } {
  return { type: 'toolCall', id, name: 'read', arguments: JSON.parse(text) as never }
}

/** Calls the tool, and says so when it has the answers. */
const stream: StreamFn = (_model, { messages }) => {
  const events = createAssistantMessageEventStream()
  const answered = messages.at(-1)?.role === 'toolResult'
  const reason = answered ? 'stop' : 'toolUse'
  const said = message(answered ? [{ type: 'text', text: 'done' }] : callIds.map(callOf), reason)
  events.push({ type: 'start', partial: said })
  events.push({ type: 'done', reason, message: said })
  events.end(said)
  return events
}

// Its two hooks, which are asynchronous by their type.
const hooks = { beforeToolCall: async () => undefined, afterToolCall: async () => undefined }

/** pi-agent-core: `runToolCall` and `runAgentLoop`, both with its two hooks. */
export function subjects(): readonly PeerSubject[] {
  const tools = [read]
  const assistantMessage = message([], 'toolUse')
  const settings = { model, convertToLlm: (messages: unknown) => messages, ...hooks } as never
  return [
    calls('pi-agent-core runToolCall', 500, async () => {
      const outcome = await runToolCall(callOf('c'), {
        tools,
        assistantMessage,
        context: { messages: [], tools },
        ...hooks,
      })
      return !outcome.isError
    }),
    turns('pi-agent-core runAgentLoop', 500, async () => {
      const prompt = { role: 'user' as const, content: 'x', timestamp: 1 }
      const context = { messages: [], tools }
      const said = await runAgentLoop([prompt], context, settings, () => {}, undefined, stream)
      return said.filter(({ role }) => role === 'toolResult').length
    }),
  ]
}
