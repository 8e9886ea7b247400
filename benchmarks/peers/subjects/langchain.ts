import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage, type ToolMessage } from '@langchain/core/messages'
import type { ChatResult } from '@langchain/core/outputs'
import { tool } from '@langchain/core/tools'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { createAgent } from 'langchain'

import { text } from '../../src/dispatch.ts'
import { callIds, calls, turns, type PeerSubject } from './subject.ts'
import { zodParameters } from './zod-parameters.ts'

function callOf(id: string): { type: 'tool_call'; id: string; name: string; args: object } {
  return { type: 'tool_call', id, name: 'read', args: JSON.parse(text) as object }
}

const calling = (): AIMessage => new AIMessage({ content: '', tool_calls: callIds.map(callOf) })

/** Calls the tool, and says so when it has the answers. */
class CallingModel extends BaseChatModel {
  _llmType(): string {
    return 'none'
  }

  override bindTools(): this {
    return this
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const message = messages.at(-1)?.type === 'tool' ? new AIMessage('done') : calling()
    return { generations: [{ text: '', message }] }
  }
}

/** LangChain: a tool by itself, a `ToolNode`, and an agent. */
export function subjects(): readonly PeerSubject[] {
  const read = tool(async ({ path }) => path, {
    name: 'read',
    description: 'Reads.',
    schema: zodParameters,
  })
  const node = new ToolNode([read])
  const agent = createAgent({ model: new CallingModel({}), tools: [read] })
  const answers = (messages: readonly BaseMessage[]): number =>
    messages.filter(({ type }) => type === 'tool').length
  return [
    calls('LangChain tool.invoke', 100, async () => {
      const { content } = (await read.invoke(callOf('c') as never)) as ToolMessage
      return content === '/a/b/c'
    }),
    turns('LangChain ToolNode.invoke', 100, async () => {
      const { messages } = (await node.invoke({ messages: [calling()] })) as {
        messages: BaseMessage[]
      }
      return answers(messages)
    }),
    turns('LangChain createAgent', 100, async () => {
      const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'x' }] })
      return answers(messages)
    }),
  ]
}
