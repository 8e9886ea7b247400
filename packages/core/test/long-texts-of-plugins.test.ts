import { createHookBus } from '@callgate/hooks'
import {
  ToolError,
  type ApprovalRequest,
  type CallgateEvents,
  type Progress,
  type ToolResult,
} from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { memoryAudit, toolOutput } from '../src/index.ts'
import { leakyCall, leakyGateway } from './leaky.ts'
import { gatewayOf, tool } from './tools.ts'

const megabyte = 1024 * 1024
const long = 'x'.repeat(megabyte)

const sizeOf = (value: unknown): number => JSON.stringify(value).length

describe('what a plugin says of a call', () => {
  const failed = (facts: { rule?: string; parameter?: string }) => {
    const audit = memoryAudit()
    const failing = tool('t', () => {
      throw new ToolError({ code: 'tool_failed', message: 'No.', started: 'no', ...facts })
    })
    const running = gatewayOf([failing], { ports: { audit } }).dispatch({
      name: 't',
      arguments: {},
    })
    return running.then((result) => ({ result, audit }))
  }

  it('has a rule and a parameter of a few words', async () => {
    const { result, audit } = await failed({ rule: long, parameter: long })
    expect(result.error).toMatchObject({
      rule: expect.stringMatching(/^x+…$/) as string,
      parameter: expect.stringMatching(/^x+…$/) as string,
    })
    expect(sizeOf([result, audit.entries()])).toBeLessThan(5000)
  })

  it('shows no secret in them, nor a part of one where a note is cut', async () => {
    const secret = 's3cret-w0rd-0123'
    const gateway = leakyGateway(
      (host, { progress }) => {
        host.secret('KEY')
        progress({ note: `${'x'.repeat(990)}${secret}` })
        const facts = { rule: `a ${secret}`, parameter: secret }
        throw new ToolError({ code: 'tool_failed', message: 'No.', started: 'no', ...facts })
      },
      { secrets: () => secret },
    )
    const told: Progress[] = []
    const onProgress = (progress: Progress) => void told.push(progress)
    const { error } = await gateway.dispatch(leakyCall, { onProgress })
    expect(error?.rule).toBe('a [redacted]')
    expect(JSON.stringify([error, told])).not.toContain('s3cret')
  })

  it('keeps a rule and a parameter that are short', async () => {
    const { result } = await failed({ rule: 'dotdot', parameter: 'path' })
    expect(result.error).toMatchObject({ rule: 'dotdot', parameter: 'path' })
  })

  it('leaves of its facts those out that are too long', async () => {
    const facts = { status: 201, body: long, list: Array(200_000).fill(1), last: 'kept' }
    const made = tool('t', () => toolOutput({ data: 1, metadata: facts }))
    const { metadata } = await gatewayOf([made]).dispatch({ name: 't', arguments: {} })
    const tooLong = '[too long to be shown]'
    expect(metadata.backend).toEqual({ status: 201, body: tooLong, list: tooLong, last: 'kept' })
  })

  it('keeps a short fact whose place a long one would just take', async () => {
    const facts = { data: 'x'.repeat(megabyte / 4 - 15), code: -32_602 }
    const made = tool('t', () => toolOutput({ data: 1, metadata: facts }))
    const { metadata } = await gatewayOf([made]).dispatch({ name: 't', arguments: {} })
    expect(metadata.backend).toEqual({ data: '[too long to be shown]', code: -32_602 })
  })

  it.each([
    ['are very many', Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`n${n}`, n]))],
    ['have a long name', { [long]: 1 }],
    ['are no object', long],
  ])('bounds facts that %s', async (_, facts) => {
    const made = tool('t', () =>
      toolOutput({ data: 1, metadata: facts as { [name: string]: unknown } }),
    )
    const { status, metadata } = await gatewayOf([made]).dispatch({ name: 't', arguments: {} })
    expect(status).toBe('ok')
    expect(sizeOf(metadata.backend)).toBeLessThanOrEqual(megabyte / 4)
  })

  it('notes its progress in a few words', async () => {
    const told: Progress[] = []
    const noting = tool('t', (_, { progress }) => {
      progress({ note: long })
      progress({ note: 'half way', fraction: 0.5 })
    })
    const onProgress = (progress: Progress) => void told.push(progress)
    await gatewayOf([noting]).dispatch({ name: 't', arguments: {} }, { onProgress })
    expect(told[0]!.note).toMatch(/^x+…$/)
    expect(sizeOf(told[0])).toBeLessThan(5000)
    expect(told[1]).toMatchObject({ note: 'half way', fraction: 0.5 })
  })
})

describe('a rule by which a hook asks', () => {
  function asking(rules: readonly string[]) {
    const hooks = createHookBus<CallgateEvents>()
    const asked: ApprovalRequest[] = []
    let count = 0
    hooks.on('pre_tool_call', () => ({ action: 'ask', rule: rules[count++]! }))
    const gateway = gatewayOf([tool('t', () => 1)], {
      hooks,
      approver: async (request) => {
        asked.push(request)
        return { decision: 'approve', scope: 'always' }
      },
    })
    const send = (n: number) => gateway.dispatch({ name: 't', arguments: { n } })
    return { asked, send }
  }

  it('is bounded, and granted as the rule that it is', async () => {
    const { asked, send } = asking([long, long, `${long}y`])
    for (const n of [1, 2, 3]) expect((await send(n)).status).toBe('ok')
    expect(asked.length).toBe(2)
    expect(asked[0]!.rules).not.toEqual(asked[1]!.rules)
    expect(sizeOf(asked)).toBeLessThan(5000)
  })

  it('stays as it is where it is short', async () => {
    const { asked, send } = asking(['mail'])
    await send(1)
    expect(asked[0]!.rules).toEqual(['mail'])
  })
})

describe('what a tool tells while it runs', () => {
  const toldBy = async (progress: object): Promise<readonly Progress[]> => {
    const told: Progress[] = []
    const telling = tool('t', (_, context) => context.progress(progress))
    const onProgress = (each: Progress) => void told.push(each)
    await gatewayOf([telling]).dispatch({ id: 'c', name: 't', arguments: {} }, { onProgress })
    return told
  }

  it.each<[string, object]>([
    ['a text', { partial: { type: 'text', text: long } }],
    ['a text of many bytes', { partial: { type: 'text', text: '文'.repeat(megabyte / 4) } }],
    ['the text of a resource', { partial: { type: 'resource', uri: 'a:b', text: long } }],
    [
      'a text in bytes',
      {
        partial: { type: 'file', mediaType: 'text/plain', data: new TextEncoder().encode(long) },
      },
    ],
  ])('keeps head and tail of %s that is long', async (_, progress) => {
    const [told] = await toldBy(progress)
    const { text, data } = told!.partial as { text?: string; data?: Uint8Array }
    const shown = text ?? new TextDecoder().decode(data)
    expect(shown).toMatch(/^(x+|文+)\n\[… \d+ bytes left out …\]\n(x+|文+)$/)
    expect(new TextEncoder().encode(shown).byteLength).toBeLessThan(megabyte / 4 + 100)
  })

  it('leaves out what is too long beside it, and keeps the rest', async () => {
    const tooLong = '[too long to be shown]'
    expect(await toldBy({ fraction: 0.5, more: long, note: 'half', total: 7 })).toEqual([
      { callId: 'c', fraction: 0.5, more: tooLong, note: 'half', total: 7 },
    ])
  })

  it('leaves media as they are, in a copy', async () => {
    const data = new Uint8Array(megabyte)
    const partial = { type: 'image', mediaType: 'image/png', data } as const
    const [told] = await toldBy({ partial })
    const shown = told!.partial as typeof partial
    expect(Buffer.compare(shown.data, data)).toBe(0)
    expect(shown.data).not.toBe(data)
  })

  it.each([[{ type: 'video' }], ['text'], [null]])('has no part that is none: %j', async (part) => {
    expect(await toldBy({ note: 'n', partial: part })).toEqual([{ callId: 'c', note: 'n' }])
  })
})

describe('a hook', () => {
  it('with a long name, or much to say, is told of in few words', async () => {
    for (const answer of [{ action: 'ask' }, { action: 'block', message: long }] as const) {
      const hooks = createHookBus<CallgateEvents>()
      hooks.on('pre_tool_call', () => answer, { id: long })
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const result = await gatewayOf([tool('t', () => 1)], { hooks }).dispatch({
        name: 't',
        arguments: {},
      })
      expect(result.status).not.toBe('ok')
      expect(sizeOf(result)).toBeLessThan(30_000)
    }
  })
})

describe('the id of a call', () => {
  it('that is long is another in the audit than one that begins alike', async () => {
    const audit = memoryAudit()
    const gateway = gatewayOf([tool('t', () => 1)], { ports: { audit } })
    for (const id of [`${long}a`, `${long}b`]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await gateway.dispatch({ id, name: 't', arguments: {} })
    }
    const [first, second] = audit.entries() as unknown as { callId: string }[]
    expect(first!.callId).not.toBe(second!.callId)
  })

  it('is as long as it came in the result, and bounded in the audit', async () => {
    const audit = memoryAudit()
    const gateway = gatewayOf([tool('t', () => 1)], { ports: { audit } })
    const { callId }: ToolResult = await gateway.dispatch({ id: long, name: 't', arguments: {} })
    expect(callId).toBe(long)
    expect(sizeOf(audit.entries())).toBeLessThan(5000)
  })

  it('is whole in the audit where it is as long as providers make them', async () => {
    const audit = memoryAudit()
    const gateway = gatewayOf([tool('t', () => 1)], { ports: { audit } })
    const id = 'c'.repeat(500)
    await gateway.dispatch({ id, name: 't', arguments: {} })
    expect(audit.entries()).toMatchObject([{ callId: id }])
  })
})
