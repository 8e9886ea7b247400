import { readTurn, writeResults, writeTurn } from '@callgate/interop'

// What the model's API answered: any of the four formats, recognised by its shape.
const answer = {
  role: 'assistant',
  content: [
    { type: 'thinking', thinking: 'I need the forecast.', signature: 'EqQBCkYIBxgC' },
    { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Köln' } },
  ],
}

const { provider, turn } = readTurn(answer)
console.log(provider, turn.toolCalls)

// Store this before anything runs (a gateway's `runTurn` hands over the expanded turn for it).
const stored = writeTurn(turn, provider, answer)
console.log(stored === answer)

// Results, as a gateway gives them, become the message that goes back.
const metadata = {
  durationMs: 12,
  attempts: 1,
  outcome: 'done',
  repairs: [],
  auditId: 'a1',
  trace: [],
} as const
const reply = writeResults(
  [
    {
      callId: 'toolu_1',
      tool: 'local::weather',
      status: 'ok',
      data: { celsius: 21 },
      content: [],
      metadata,
    },
  ],
  provider,
)
console.log(JSON.stringify(reply, null, 2))
