import type { ContentPart } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { withFake } from './fake.ts'
import { callOf, contextOf, type Running } from './host.ts'

const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }

function bytesOf(part: ContentPart | undefined): number[] {
  return part !== undefined && 'data' in part ? [...(part.data ?? [])] : []
}

/** Calls a tool that declares what it gives back. */
async function call(
  tool: string,
  outputMismatch: 'warn' | 'error' | 'off',
): ReturnType<Running['call']> {
  const { adapter, host } = await withFake('structured', { outputMismatch })
  const definition = {
    namespace: 'mcp::s',
    name: tool,
    description: '',
    parameters: {},
    outputs: schema,
    backend: { adapter: 'mcp', server: 's', tool },
  }
  return adapter.invoke(callOf(definition, {}), contextOf(host))
}

describe('a result', () => {
  it('keeps an unknown part as JSON text beside the known ones (unknown-content)', async () => {
    const running = await withFake('content')
    expect(await running.call('s.unknown')).toMatchObject({
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: '{"type":"video","url":"v"}' },
      ],
      metadata: { notes: ['unknown part video'] },
    })
  })

  it('holds links and resources as parts of their own', async () => {
    const running = await withFake('content')
    expect((await running.call('s.link')).content).toEqual([
      { type: 'resource_link', uri: 'file:///a', name: 'A', mediaType: 'text/plain' },
    ])
    const { content } = await running.call('s.resource')
    expect(content?.[0]).toEqual({
      type: 'resource',
      uri: 'x://1',
      mediaType: 'text/plain',
      text: 'inside',
    })
    expect(content?.[1]).toMatchObject({ type: 'resource', uri: 'x://2' })
    expect(bytesOf(content?.[1])).toEqual([0, 1, 2])
  })

  it('holds images and sounds as bytes', async () => {
    const running = await withFake('content')
    const [image] = (await running.call('s.image')).content ?? []
    expect(image).toMatchObject({ type: 'image', mediaType: 'image/png' })
    expect(bytesOf(image).slice(1, 4)).toEqual([80, 78, 71])
    expect((await running.call('s.audio')).content?.[0]).toMatchObject({
      type: 'audio',
      mediaType: 'audio/wav',
    })
  })

  it('with damaged base64 is repaired, with a note (unknown-content)', async () => {
    const running = await withFake('content')
    const { content, metadata } = await running.call('s.bad-base64')
    expect(bytesOf(content?.[0]).slice(1, 4)).toEqual([80, 78, 71])
    expect(metadata?.['notes']).toEqual(['base64 was repaired'])
  })

  it.each([
    ['null', '', []],
    ['string', 'just text', [{ type: 'text', text: 'just text' }]],
    ['null-part', 'b', [{ type: 'text', text: 'b' }]],
    [
      'text-null',
      '{"type":"text","text":null}',
      [{ type: 'text', text: '{"type":"text","text":null}' }],
    ],
  ])('with %s for content is still a result (unknown-content)', async (tool, data, content) => {
    const running = await withFake('content')
    expect(await running.call(`s.${tool}`)).toMatchObject({ data, content })
  })

  it('with isError as text is an error (unknown-content)', async () => {
    const running = await withFake('content')
    expect(await running.call('s.text-error')).toMatchObject({ isError: true, data: 'bad' })
  })

  it('shows an image once and not as text (image-as-text)', async () => {
    const running = await withFake('content')
    const { content } = await running.call('s.image-twice')
    expect(content?.map((part) => part.type)).toEqual(['image', 'text'])
    expect(content?.[1]).toEqual({ type: 'text', text: '{"image":"[shown as media]"}' })
  })

  it.each(['video', 'bytes'])(
    'shows no base64 as text that the adapter writes itself: %s (image-as-text)',
    async (tool) => {
      const { content } = await (await withFake('encoded')).call(`s.${tool}`)
      const [part] = content ?? []
      expect(part).toMatchObject({
        type: 'text',
        text: expect.stringContaining('[4000 characters of base64 left out]') as string,
      })
    },
  )

  it('keeps bytes in structured content for code', async () => {
    const { data } = await (await withFake('encoded')).call('s.bytes')
    expect((data as { bytes: string }).bytes).toHaveLength(4000)
  })

  it('with structured content alone is shown as its JSON', async () => {
    const running = await withFake('content')
    expect(await running.call('s.structured-only')).toEqual({
      data: [1, 2],
      content: [{ type: 'text', text: '[1,2]' }],
    })
  })

  it('shows no hidden characters, and keeps the raw value for code (hidden-unicode)', async () => {
    const running = await withFake('hidden')
    const output = await running.call('s.dirty')
    expect(output).toMatchObject({
      content: [{ type: 'text', text: 'Reads a file.' }],
      data: { note: 'Reads a file.' },
    })
    expect(output.metadata?.['notes']).toEqual(['hidden characters removed'])
    expect(output.metadata?.['raw']).toEqual({
      note: 'Reads\u{E0041}\u{E0042} a\u202E file\u001B[2J\u200B.',
    })
  })
})

describe('a text that was cleaned', () => {
  it('is there for code as it was sent, while it is not large (hidden-unicode)', async () => {
    const running = await withFake('odd-text')
    const { content, metadata } = await running.call('s.hidden', { count: 1 })
    expect(content).toEqual([{ type: 'text', text: 'ab' }])
    expect(metadata).toEqual({
      notes: ['hidden characters removed'],
      raw: [{ type: 'text', text: 'a\u200Bb' }],
    })
    const large = await running.call('s.hidden', { count: 100_000 })
    expect(large.metadata).toEqual({ notes: ['hidden characters removed'] })
  })
})

describe('structured content against the output schema (structured-mismatch)', () => {
  it('passes where it fits', async () => {
    expect(await call('good', 'error')).toMatchObject({ data: { n: 1 } })
  })

  it('is a note where it does not, by default', async () => {
    expect(await call('mismatch', 'warn')).toMatchObject({
      data: { n: 'one' },
      metadata: {
        notes: ['structured output does not fit at "/n": string instead of number'],
      },
    })
    expect(await call('missing', 'warn')).toMatchObject({
      data: '{"n":1}',
      metadata: { notes: ['the tool declares structured output and gave none'] },
    })
  })

  it('is an error that holds the result where that is asked for', async () => {
    await expect(call('mismatch', 'error')).rejects.toMatchObject({
      code: 'backend_error',
      rule: 'output-schema',
      started: 'yes',
      backend: { data: { structuredContent: { n: 'one' } } },
    })
  })

  it('is not looked at when that is off, or when the tool failed', async () => {
    expect((await call('mismatch', 'off')).metadata).toBeUndefined()
    expect(await call('failed', 'error')).toMatchObject({ isError: true })
  })
})
