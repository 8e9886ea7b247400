// A small MCP server over stdio, without a library: one note pad, one tool to write and one to read.
import process from 'node:process'
import { createInterface } from 'node:readline'

const notes: string[] = []
const tools = [
  {
    name: 'add_note',
    description: 'Adds a line to the note pad.',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string' }, copies: { type: 'integer', minimum: 1 } },
      required: ['text'],
    },
  },
  {
    name: 'read_notes',
    description: 'Reads the note pad.',
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
  },
]

interface Message {
  readonly id?: number
  readonly method: string
  readonly params?: {
    readonly protocolVersion?: string
    readonly name?: string
    readonly arguments?: { readonly text?: string; readonly copies?: number }
  }
}

function answer({ method, params = {} }: Message): object {
  if (method === 'initialize') {
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'notes', version: '1.0.0' },
    }
  }
  if (method === 'tools/list') return { tools }
  if (params.name === 'add_note') {
    const { text = '', copies = 1 } = params.arguments ?? {}
    for (let copy = 0; copy < copies; copy += 1) notes.push(text)
  }
  return { content: [{ type: 'text', text: notes.join('\n') }] }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line) as Message
  if (message.id === undefined) return
  console.log(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: answer(message) }))
})
