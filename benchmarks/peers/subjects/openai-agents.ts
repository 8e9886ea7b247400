import {
  Agent,
  invokeFunctionTool,
  RunContext,
  Runner,
  tool,
  Usage,
  type Model,
  type ModelResponse,
} from '@openai/agents-core'
import { z } from 'zod'

import { text } from '../../src/dispatch.ts'
import { callIds, calls, turns, type PeerSubject } from './subject.ts'

// Strict mode, the default, wants every parameter required.
const parameters = z.object({ path: z.string(), limit: z.number().int(), deep: z.boolean() })

const calling: ModelResponse['output'] = callIds.map((callId, n) => ({
  type: 'function_call',
  id: `f${n}`,
  callId,
  name: 'read',
  status: 'completed',
  arguments: text,
}))

const done: ModelResponse['output'] = [
  {
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'done' }],
  },
]

/** Calls the tool, and says so when it has the answers. */
const model: Model = {
  async getResponse({ input }) {
    const answered = Array.isArray(input) && input.at(-1)?.type === 'function_call_result'
    return { usage: new Usage(), output: structuredClone(answered ? done : calling) }
  },
  getStreamedResponse() {
    throw new Error('nobody streams here')
  },
}

/** OpenAI Agents: `invokeFunctionTool`, and the runner. */
export function subjects(): readonly PeerSubject[] {
  const read = tool({
    name: 'read',
    description: 'Reads.',
    parameters,
    execute: async ({ path }) => path,
  })
  const runContext = new RunContext({})
  const runner = new Runner({ tracingDisabled: true, modelProvider: { getModel: () => model } })
  const agent = new Agent({ name: 'a', instructions: 'x', model, tools: [read] })
  return [
    calls('OpenAI Agents invokeFunctionTool', 1000, async () => {
      const result: unknown = await invokeFunctionTool({ tool: read, runContext, input: text })
      return result === '/a/b/c'
    }),
    turns('OpenAI Agents Runner.run', 100, async () => {
      const { newItems } = await runner.run(agent, 'x')
      return newItems.filter(({ type }) => type === 'tool_call_output_item').length
    }),
  ]
}
