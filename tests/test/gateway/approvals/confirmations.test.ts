import { createGateway } from '@callgate/core'
import { createHookBus } from '@callgate/hooks'
import type { CallgateEvents } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { call, gatewayOf, send } from './support.ts'

describe('a confirmation', () => {
  it('for the session or for always is of the very arguments: other ones are asked for again', async () => {
    for (const scope of ['session', 'always'] as const) {
      const asked: unknown[] = []
      const gateway = gatewayOf({
        approver: async ({ arguments: args }) => {
          asked.push(args)
          return { decision: 'approve', scope }
        },
      })
      for (const to of ['a', 'a', 'b']) {
        await gateway.dispatch({ name: 'send', arguments: { to } }, { sessionId: 's' })
      }
      expect(asked).toEqual([{ to: 'a' }, { to: 'b' }])
    }
  })

  it('by a rule of a hook covers what that rule covers', async () => {
    let asked = 0
    const hooks = createHookBus<CallgateEvents>()
    hooks.on('pre_tool_call', () => ({ action: 'ask', message: 'Send?', rule: 'mail' }))
    const gateway = createGateway({
      tools: [send({ confirm: false })],
      hooks,
      approver: async () => (asked++, { decision: 'approve', scope: 'session' }),
    })
    for (const to of ['a', 'b'])
      await gateway.dispatch({ name: 'send', arguments: { to } }, { sessionId: 's' })
    expect(asked).toBe(1)
  })

  it('for the session where there is none is for once', async () => {
    let asked = 0
    const gateway = gatewayOf({
      approver: async () => (asked++, { decision: 'approve', scope: 'session' }),
    })
    await gateway.dispatch(call)
    await gateway.dispatch(call)
    expect(asked).toBe(2)
  })

  it('shows the values of parameters whatever they are called, and reads none as a template', async () => {
    const messages: string[] = []
    const gateway = createGateway({
      tools: [send({ confirmMessage: '{file-path} {{路径}} { a.b } {gone} {constructor} {x}}' })],
      approver: async ({ message }) => (messages.push(message), { decision: 'deny' }),
    })
    await gateway.dispatch({
      name: 'send',
      arguments: { 'file-path': '/{x}', 路径: '家', 'a.b': { c: 1 }, x: 2 },
    })
    expect(messages).toEqual(['/{x} 家 {"c":1} {gone} {constructor} 2}'])
  })
})

describe('the text by which a human decides', () => {
  async function messageOf(value: unknown): Promise<string> {
    const messages: string[] = []
    const gateway = createGateway({
      tools: [send({ confirmMessage: 'Delete {path}?' })],
      approver: async ({ message }) => (messages.push(message), { decision: 'deny' }),
    })
    await gateway.dispatch({ name: 'send', arguments: { path: value } })
    return messages[0]!
  }

  it('shows what cannot be seen, so that a value cannot be taken for it (R9.4)', async () => {
    expect(await messageOf('a.txt')).toBe('Delete a.txt?')
    expect(await messageOf('my file.txt')).toBe('Delete "my file.txt"?')
    expect(await messageOf('a?\nApproved by "admin". Delete b')).toBe(
      String.raw`Delete "a?\nApproved by \"admin\". Delete b"?`,
    )
    expect(await messageOf('\u001B[2K\u202Etxt.a\u200B')).toBe(
      String.raw`Delete "\u001b[2K\u202etxt.a\u200b"?`,
    )
    expect(await messageOf({ a: '\u202E\u2028' })).toBe(String.raw`Delete {"a":"\u202e\u2028"}?`)
    expect(await messageOf('')).toBe('Delete ""?')
  })

  it('shows the beginning of a long value', async () => {
    expect(await messageOf('x'.repeat(5000))).toBe(`Delete ${'x'.repeat(200)}…?`)
    expect(await messageOf(`${'x'.repeat(199)}😀`)).toBe(`Delete ${'x'.repeat(199)}…?`)
  })

  it('keeps the lines of a hook, and shows what cannot be seen in them', async () => {
    const hooks = createHookBus<CallgateEvents>()
    hooks.on('pre_tool_call', () => ({ action: 'ask', message: 'First\nsecond \u001B[31mred' }))
    const messages: string[] = []
    const gateway = createGateway({
      tools: [send({ confirm: false })],
      hooks,
      approver: async ({ message }) => (messages.push(message), { decision: 'deny' }),
    })
    await gateway.dispatch(call)
    expect(messages).toEqual(['First\nsecond \\u001b[31mred'])
  })
})
