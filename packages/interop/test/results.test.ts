import { CallgateError, type ContentPart, type ToolResult } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createIdMap, writeResults, type Provider } from '../src/index.ts'
import { failure, result } from './fixtures/index.ts'

const png: ContentPart = { type: 'image', mediaType: 'image/png', data: new Uint8Array([1, 2, 3]) }
const pdf: ContentPart = {
  type: 'file',
  mediaType: 'application/pdf',
  data: new Uint8Array([37, 80]),
}
const text = (value: string): ContentPart => ({ type: 'text', text: value })

/** The text that the model reads of one result, whatever the provider. */
function said(given: ToolResult): string {
  const [message] = writeResults([given], 'openai-chat') as [{ content: string }]
  return message.content
}

describe('writeResults', () => {
  const both = [
    result({ callId: 'call_1', content: [text('alpha')] }),
    failure({ message: 'No such file.' }, { callId: 'call_2', content: [] }),
  ]

  it('gives one role:tool message a call to OpenAI chat', () => {
    expect(writeResults(both, 'openai-chat')).toEqual([
      { role: 'tool', tool_call_id: 'call_1', content: 'alpha' },
      { role: 'tool', tool_call_id: 'call_2', content: 'Error (invalid_arguments): No such file.' },
    ])
  })

  it('gives one function_call_output a call to OpenAI responses', () => {
    expect(writeResults(both, 'openai-responses')).toEqual([
      { type: 'function_call_output', call_id: 'call_1', output: 'alpha' },
      {
        type: 'function_call_output',
        call_id: 'call_2',
        output: 'Error (invalid_arguments): No such file.',
      },
    ])
  })

  it('gives one user message with all blocks in order to Anthropic', () => {
    expect(writeResults(both, 'anthropic')).toEqual([
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'call_1',
            content: [{ type: 'text', text: 'alpha' }],
          },
          {
            type: 'tool_result',
            tool_use_id: 'call_2',
            content: [{ type: 'text', text: 'Error (invalid_arguments): No such file.' }],
            is_error: true,
          },
        ],
      },
    ])
  })

  it('gives one user message with all blocks and their status to Bedrock', () => {
    expect(writeResults(both, 'bedrock')).toEqual([
      {
        role: 'user',
        content: [
          {
            toolResult: { toolUseId: 'call_1', content: [{ text: 'alpha' }], status: 'success' },
          },
          {
            toolResult: {
              toolUseId: 'call_2',
              content: [{ text: 'Error (invalid_arguments): No such file.' }],
              status: 'error',
            },
          },
        ],
      },
    ])
  })

  it.each(['openai-chat', 'openai-responses', 'anthropic', 'bedrock'] as const)(
    'gives nothing to %s when there are no results',
    (provider) => {
      expect(writeResults([], provider)).toEqual([])
    },
  )

  it('uses the same ids as the turn when both are given the map of the conversation', () => {
    const ids = createIdMap('mistral')
    const known = ids.toProvider('call_1')
    const [message] = writeResults([result({ callId: 'call_1' })], 'openai-chat', { ids }) as [
      { tool_call_id: string },
    ]
    expect(message.tool_call_id).toBe(known)
  })

  it('names the providers it knows when it is given another', () => {
    expect(() => writeResults([], 'toString' as Provider)).toThrow(CallgateError)
  })
})

describe('what the model reads of a result', () => {
  it('is its data as JSON text where it has no content', () => {
    expect(said(result({ data: { a: [1, null] } }))).toBe('{"a":[1,null]}')
    expect(said(result({ data: [1, 2] }))).toBe('[1,2]')
    expect(said(result({ data: false }))).toBe('false')
    expect(said(result({ data: null }))).toBe('null')
    expect(said(result({ data: 10n ** 20n }))).toBe('"100000000000000000000"')
  })

  it('is text as it is where the data is text', () => {
    expect(said(result({ data: 'two\nlines' }))).toBe('two\nlines')
  })

  it('is never empty', () => {
    expect(said(result({}))).toBe('(no output)')
    expect(said(result({ data: ' ' }))).toBe('(no output)')
    expect(said(result({ content: [text('')] }))).toBe('(no output)')
  })

  it('says so when data cannot be written', () => {
    const cycle: { self?: unknown } = {}
    cycle.self = cycle
    expect(said(result({ data: cycle }))).toContain('cannot be written')
  })

  it('has no half surrogate pairs, for which providers refuse the request', () => {
    expect(said(result({ content: [text('cut \ud83d')] }))).toBe('cut \ufffd')
    expect(said(result({ content: [text('whole \ud83d\ude00')] }))).toBe('whole \ud83d\ude00')
  })

  it('shows text files and resources as text', () => {
    const content: ContentPart[] = [
      { type: 'file', mediaType: 'text/csv; charset=utf-8', data: new TextEncoder().encode('a,b') },
      { type: 'resource', uri: 'file:///a', text: 'body' },
      { type: 'resource', uri: 'file:///b' },
      { type: 'resource_link', uri: 'file:///c', name: 'C', mediaType: 'text/plain' },
    ]
    expect(said(result({ content }))).toBe(
      'a,b\nfile:///a\nbody\n[resource file:///b]\n[resource C: file:///c (text/plain)]',
    )
  })

  it.each([
    'application/json',
    'application/problem+json',
    'application/atom+xml; charset=utf-8',
    'application/x-ndjson',
    'Application/JSONL',
    'application/sql',
    'application/toml',
  ])('shows a file of the type %s as text', (mediaType) => {
    const data = new TextEncoder().encode('{"a": "文"}')
    expect(said(result({ content: [{ type: 'file', mediaType, data }] }))).toBe('{"a": "文"}')
  })

  it.each(['application/octet-stream', 'application/zip', 'application/jsonx', 'model/gltf+json'])(
    'only notes a file of the type %s',
    (mediaType) => {
      const data = new TextEncoder().encode('{}')
      expect(said(result({ content: [{ type: 'file', mediaType, data }] }))).toMatch(/2 bytes/)
    },
  )
})

describe('what the gateway tells the model beside a result', () => {
  it('stands at the end, also after a failure', () => {
    const metadata = { ...result({}).metadata, notice: 'The third time.' }
    expect(said(result({ content: [text('alpha')], metadata }))).toMatch(
      /alpha\s+\[The third time\.\]$/,
    )
    expect(said(failure({ message: 'No.' }, { content: [], metadata }))).toMatch(
      /No\.\s+\[The third time\.\]$/,
    )
  })
})

describe('what the model reads of a failure', () => {
  it('names each field with what came, what fits and a suggestion, and the hint', () => {
    const given = failure({
      message: 'The arguments do not fit the schema.',
      fields: [
        {
          path: '/limit',
          constraint: 'type',
          got: '"many"',
          expected: 'an integer',
          suggestion: 'Send 10.',
        },
        {
          path: '',
          constraint: 'required',
          got: 'nothing',
          expected: '"path"',
          suggestion: 'path',
        },
      ],
      hint: 'Ask tool_describe for the schema.',
    })
    expect(said(given)).toBe(
      [
        'Error (invalid_arguments): The arguments do not fit the schema.',
        '- /limit: got "many"; expected an integer. Suggestion: Send 10.',
        '- arguments: got nothing; expected "path".',
        'Hint: Ask tool_describe for the schema.',
      ].join('\n'),
    )
  })

  it.each([
    ['denied', 'permission_denied', 'Refused (permission_denied)'],
    ['cancelled', 'cancelled', 'Cancelled (cancelled)'],
    ['pending', 'approval_required', 'Not run yet (approval_required)'],
  ] as const)('says what became of a call that is %s', (status, code, head) => {
    expect(said(failure({ code, message: 'Because.' }, { status }))).toBe(`${head}: Because.`)
  })

  it('never has a stack', () => {
    const message = 'Boom\n    at run (file:///app/x.js:1:2)\n    at async main (x.js:3:4)'
    expect(said(failure({ message }))).toBe('Error (invalid_arguments): Boom')
  })

  it('does not say twice what the content says, and keeps what the tool wrote', () => {
    const content = [text('It does not fit.'), text('exit code 1')]
    expect(said(failure({}, { content }))).toBe(
      'Error (invalid_arguments).\nIt does not fit.\nexit code 1',
    )
  })

  it('keeps a short message that merely occurs in the content', () => {
    expect(said(failure({ message: 'no' }, { content: [text('nothing here')] }))).toBe(
      'Error (invalid_arguments): no\nnothing here',
    )
  })

  it('still says that it failed when there is no error to show', () => {
    expect(said(result({ status: 'cancelled' }))).toBe('Cancelled.')
  })
})

describe('media in results', () => {
  it('are noted for Anthropic where the result failed, since it takes text alone beside is_error', () => {
    const failed = failure(
      { message: 'No such page.' },
      { callId: 'a', content: [text('see'), png, pdf] },
    )
    expect(writeResults([failed], 'anthropic')).toEqual([
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'a',
            content: [
              { type: 'text', text: 'Error (invalid_arguments): No such page.' },
              { type: 'text', text: 'see' },
              { type: 'text', text: '[image/png, 3 bytes: cannot be shown to the model here]' },
              {
                type: 'text',
                text: '[application/pdf, 2 bytes: cannot be shown to the model here]',
              },
            ],
            is_error: true,
          },
        ],
      },
    ])
  })

  const given = [result({ callId: 'c_1', content: [text('see'), png, pdf] })]

  it('is noted with type and size for OpenAI chat', () => {
    expect(writeResults(given, 'openai-chat')).toEqual([
      {
        role: 'tool',
        tool_call_id: 'c_1',
        content:
          'see\n[image/png, 3 bytes: cannot be shown to the model here]\n' +
          '[application/pdf, 2 bytes: cannot be shown to the model here]',
      },
    ])
  })

  it('goes to OpenAI responses as input_image and input_file', () => {
    expect(writeResults(given, 'openai-responses')).toEqual([
      {
        type: 'function_call_output',
        call_id: 'c_1',
        output: [
          { type: 'input_text', text: 'see' },
          { type: 'input_image', image_url: 'data:image/png;base64,AQID' },
          {
            type: 'input_file',
            filename: 'result.pdf',
            file_data: 'data:application/pdf;base64,JVA=',
          },
        ],
      },
    ])
  })

  it('goes to Anthropic as image and document', () => {
    const [message] = writeResults(given, 'anthropic') as [{ content: [{ content: unknown[] }] }]
    expect(message.content[0].content).toEqual([
      { type: 'text', text: 'see' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AQID' } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVA=' } },
    ])
  })

  it('goes to Bedrock as bytes, documents under names that differ', () => {
    const [message] = writeResults(given, 'bedrock') as [
      { content: [{ toolResult: { content: unknown[] } }] },
    ]
    expect(message.content[0].toolResult.content).toEqual([
      { text: 'see' },
      { image: { format: 'png', source: { bytes: new Uint8Array([1, 2, 3]) } } },
      {
        document: {
          format: 'pdf',
          name: 'result-c-1-2',
          source: { bytes: new Uint8Array([37, 80]) },
        },
      },
    ])
  })

  it.each(['openai-responses', 'anthropic', 'bedrock'] as const)(
    'is noted for %s where the provider would refuse the request for it',
    (provider) => {
      const odd: ContentPart[] = [
        { type: 'audio', mediaType: 'audio/wav', data: new Uint8Array([1]) },
        { type: 'image', mediaType: 'image/svg+xml', data: new Uint8Array([1, 2]) },
        { type: 'image', mediaType: 'image/png', data: new Uint8Array() },
        { type: 'resource', uri: 'x:y', data: new Uint8Array([1, 2, 3, 4]) },
      ]
      const written = JSON.stringify(writeResults([result({ content: odd })], provider))
      for (const note of [
        'audio/wav, 1 b',
        'image/svg+xml, 2 b',
        'image/png, 0 b',
        'stream, 4 b',
      ]) {
        expect(written).toContain(note)
      }
      expect(written).not.toMatch(/input_image|base64|"bytes"/)
    },
  )

  it('survives an image of many bytes', () => {
    const data = new Uint8Array(200_000).fill(65)
    const content: ContentPart[] = [{ type: 'image', mediaType: 'image/png', data }]
    const [message] = writeResults([result({ content })], 'openai-responses') as [
      { output: [{ image_url: string }] },
    ]
    const [, encoded] = message.output[0].image_url.split(',') as [string, string]
    expect(atob(encoded)).toBe('A'.repeat(200_000))
  })
})

describe('structured data for Bedrock', () => {
  it('goes as json where it is an object, which is all that Converse takes', () => {
    const [message] = writeResults(
      [result({ data: { a: 1 } }), result({ data: [1] })],
      'bedrock',
    ) as [{ content: { toolResult: { content: unknown[] } }[] }]
    expect(message.content.map((block) => block.toolResult.content)).toEqual([
      [{ json: { a: 1 } }],
      [{ text: '[1]' }],
    ])
  })
})
