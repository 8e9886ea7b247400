import { createHookBus } from '@callgate/hooks'
import {
  type CallgateEvents,
  type ContentPart,
  type Progress,
  type ToolResult,
} from '@callgate/spec'
import { expect, it } from 'vitest'

import { leakyCall, leakyGateway } from './leaky.ts'

const secret = 's3cr3t-välue-0123'
const binary = Buffer.from([0x89, 0x50, 0x1a, 0xff, 0xc3])
const stars = '*'.repeat(Buffer.byteLength(secret))

function bytesWith(text: string): Buffer {
  return Buffer.concat([binary, Buffer.from(text), binary])
}

/** The parts as all get them whom the gateway tells of a call. */
async function seenOf(
  content: readonly ContentPart[],
): Promise<readonly (readonly ContentPart[])[]> {
  const counted: ToolResult[] = []
  const told: ToolResult[] = []
  const partial: ContentPart[] = []
  const hooks = createHookBus<CallgateEvents>()
  hooks.on('post_tool_call', ({ result }) => void told.push(result))
  const gateway = leakyGateway(
    (host, { progress }) => {
      host.secret('KEY')
      for (const part of content) progress({ partial: part } as Progress)
      return { content }
    },
    {
      secrets: () => secret,
      ports: { statistics: { record: (seen) => void counted.push(seen) } },
      hooks,
    },
  )
  const result = await gateway.dispatch(leakyCall, {
    onProgress: (progress) => void partial.push(progress.partial!),
  })
  await hooks.idle()
  return [...[result, ...counted, ...told].map((seen) => seen.content), partial]
}

it.each<[string, (data: Uint8Array) => ContentPart]>([
  ['a resource without a type', (data) => ({ type: 'resource', uri: 'a:b', data })],
  [
    'a resource of media',
    (data) => ({ type: 'resource', uri: 'a:b', mediaType: 'image/png', data }),
  ],
  ['an image', (data) => ({ type: 'image', mediaType: 'image/png', data })],
  ['a sound', (data) => ({ type: 'audio', mediaType: 'audio/wav', data })],
  ['a file', (data) => ({ type: 'file', mediaType: 'application/pdf', data })],
])(
  'a secret in the bytes of %s is overwritten, and all else stays where it was',
  async (_, part) => {
    const seen = await seenOf([part(bytesWith(`${secret}|${secret}`))])
    const expected = new Uint8Array(bytesWith(`${stars}|${stars}`))
    expect(seen).toHaveLength(4)
    for (const content of seen) {
      expect(content.map((shown) => new Uint8Array((shown as { data: Uint8Array }).data))).toEqual([
        expected,
      ])
    }
  },
)

it('a secret in Base64 in the bytes of media is overwritten', async () => {
  const coded = Buffer.from(secret).toString('base64')
  const data = bytesWith(`Basic ${coded}`)
  const [content] = await seenOf([{ type: 'file', mediaType: 'application/octet-stream', data }])
  expect(content).toEqual([
    {
      type: 'file',
      mediaType: 'application/octet-stream',
      data: new Uint8Array(bytesWith(`Basic ${'*'.repeat(coded.length)}`)),
    },
  ])
})

it('the bytes that a tool gave stay as they were', async () => {
  const data = bytesWith(secret)
  await seenOf([{ type: 'image', mediaType: 'image/png', data }])
  expect(data).toEqual(bytesWith(secret))
})
