import { sanitizeSchema } from '@callgate/coercion'
import { createGateway, defineTool } from '@callgate/core'
import { readTurn, writeResults, writeTurn } from '@callgate/interop'

const forecast = defineTool({
  namespace: 'local',
  name: 'forecast',
  description: 'Tells the weather of the next days.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer' } },
    required: ['city', 'days'],
  },
  effects: { readOnly: true },
  execute: ({ city, days }) => `${String(city)}: sun for ${String(days)} days`,
})
const gateway = createGateway({ tools: [forecast] })

// What the model is shown, in the shape of each provider, with schemas that it takes.
const openAiTools = gateway.modelTools().map(({ parameters, ...tool }) => ({
  type: 'function',
  function: { ...tool, parameters: sanitizeSchema(parameters, { provider: 'openai' }).schema },
}))
const anthropicTools = gateway.modelTools().map(({ parameters, ...tool }) => ({
  ...tool,
  input_schema: sanitizeSchema(parameters, { provider: 'anthropic' }).schema,
}))

/** In your program: a request to the provider. Gives back the response body. */
type Model = (request: {
  messages: readonly unknown[]
  tools: readonly object[]
}) => Promise<object>

async function loop(model: Model, tools: readonly object[]): Promise<readonly unknown[]> {
  const messages: unknown[] = [{ role: 'user', content: 'Will it rain in Köln?' }]
  for (let round = 0; round < 10; round++) {
    const answer = await model({ messages, tools })
    const { provider, turn } = readTurn(answer)
    const { results } = await gateway.runTurn(turn, {
      sessionId: 's1',
      // Stored before anything runs: a batch is written as the calls it holds.
      onExpanded: (expanded) => void messages.push(writeTurn(expanded, provider, answer)),
    })
    if (results.length === 0) return messages
    messages.push(...writeResults(results, provider))
  }
  throw new Error('The model did not come to an end.')
}

// Scripted models: one call with a number given as text, then an answer.
const openAi: Model = async ({ messages }) => ({
  choices: [
    {
      message:
        messages.length === 1
          ? {
              role: 'assistant',
              content: null,
              tool_calls: [
                {
                  id: 'call_1',
                  type: 'function',
                  function: { name: 'forecast', arguments: '{"city":"Köln","days":"3"}' },
                },
              ],
            }
          : { role: 'assistant', content: 'No.' },
    },
  ],
})
const anthropic: Model = async ({ messages }) => ({
  role: 'assistant',
  content:
    messages.length === 1
      ? [{ type: 'tool_use', id: 'toolu_1', name: 'forecast', input: { city: 'Köln', days: '3' } }]
      : [{ type: 'text', text: 'No.' }],
})

console.log(await loop(openAi, openAiTools))
console.log((await loop(anthropic, anthropicTools)).map((message) => JSON.stringify(message)))
console.log(openAiTools.map((tool) => tool.function.name))
