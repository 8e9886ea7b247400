import { sanitizeSchema } from '@callgate/coercion'
import { createGateway, defineTool, type ModelTool } from '@callgate/core'
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

// What the model is shown of a tool, in the shape of each provider, with a schema that it takes.
type Shape = (tool: ModelTool) => object
const openAiShape: Shape = ({ parameters, ...tool }) => ({
  type: 'function',
  function: { ...tool, parameters: sanitizeSchema(parameters, { provider: 'openai' }).schema },
})
const anthropicShape: Shape = ({ parameters, ...tool }) => ({
  ...tool,
  input_schema: sanitizeSchema(parameters, { provider: 'anthropic' }).schema,
})
const bedrockShape: Shape = ({ parameters, ...tool }) => {
  const { schema } = sanitizeSchema(parameters, { provider: 'bedrock' })
  return { toolSpec: { ...tool, inputSchema: { json: schema } } }
}

/** In your program: a request to the provider. Gives back the response body. */
type Model = (request: {
  messages: readonly unknown[]
  tools: readonly object[]
}) => Promise<object>

async function loop(model: Model, shape: Shape): Promise<readonly unknown[]> {
  const context = { sessionId: 's1' }
  const messages: unknown[] = [{ role: 'user', content: 'Will it rain in Köln?' }]
  for (let round = 0; round < 10; round++) {
    // Anew each time: tools come and go, and one to read long results is there once a result was cut.
    const tools = gateway.modelTools(context).map(shape)
    const answer = await model({ messages, tools })
    const { provider, turn } = readTurn(answer)
    const { results } = await gateway.runTurn(turn, {
      ...context,
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

console.log(await loop(openAi, openAiShape))
console.log((await loop(anthropic, anthropicShape)).map((message) => JSON.stringify(message)))
console.log(gateway.modelTools().map(({ name }) => name))
console.log(JSON.stringify(bedrockShape(gateway.modelTools()[0]!)))
