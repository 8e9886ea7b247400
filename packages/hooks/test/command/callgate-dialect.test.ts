import { describe, expect, it } from 'vitest'

import { commandHook } from '../../src/command.ts'
import { decides, script } from './support.ts'

const payload = {
  callId: 'call_1',
  sessionId: 's1',
  tool: 'local::write_file',
  arguments: { path: 'a', big: 12345678901234567890n },
  attempt: 1,
  signal: new AbortController().signal,
  call: () => {},
}

/** What the command got on stdin, sent back as the message of a block. */
async function seen(given: object, options: { event?: string } = {}): Promise<unknown> {
  const echo = script(
    'console.log(JSON.stringify({ nonce: input.nonce, decision: { action: "block", message: JSON.stringify(input) } }))',
    options,
  )
  const answer = await commandHook(echo)(given)
  return JSON.parse((answer as { message: string }).message)
}

describe('what a command reads', () => {
  it('is the payload with its kind, event and nonce, and nothing that JSON cannot hold', async () => {
    expect(await seen(payload)).toEqual({
      hook: 1,
      kind: 'gate',
      event: 'pre_tool_call',
      nonce: expect.stringMatching(/^[0-9a-f-]{36}$/),
      callId: 'call_1',
      sessionId: 's1',
      tool: 'local::write_file',
      arguments: { path: 'a', big: '12345678901234567890' },
      attempt: 1,
    })
  })

  it('names another event where the hook stands on one', async () => {
    expect(await seen(payload, { event: 'tools_listed' })).toMatchObject({ event: 'tools_listed' })
  })

  it('has bytes as base64 and lets a payload change nothing of the protocol', async () => {
    const given = { hook: 2, nonce: 'mine', part: new Uint8Array([1, 2, 3]) }
    expect(await seen(given)).toMatchObject({ hook: 1, part: 'AQID' })
    expect(await seen(given)).not.toMatchObject({ nonce: 'mine' })
  })

  it('has the bytes of a Buffer as base64 too, at any depth', async () => {
    const given = {
      part: Buffer.from([1, 2, 3]),
      list: [{ data: Buffer.from('文') }],
      at: new Date(0),
    }
    expect(await seen(given)).toMatchObject({
      part: 'AQID',
      list: [{ data: '5paH' }],
      at: '1970-01-01T00:00:00.000Z',
    })
  })
})

describe('an answer', () => {
  it.each([
    ['action: "block"', /answered with "action" beside nonce and decision/],
    ['decison: { action: "block" }', /answered with "decison" beside nonce and decision/],
    ['', /none of allow, block, ask and modify/],
  ])('{ nonce, %s } is no consent', async (rest, said) => {
    const hook = commandHook(script(`console.log(JSON.stringify({ nonce: input.nonce, ${rest} }))`))
    await expect(hook(payload)).rejects.toThrow(said)
  })
})

describe('the decision of a gate', () => {
  it.each([
    [{ action: 'allow' }, { action: 'allow' }],
    [{ action: 'block' }, { action: 'block' }],
    [
      { action: 'block', message: 'no rm', extra: 1 },
      { action: 'block', message: 'no rm' },
    ],
    [
      { action: 'ask', message: 'sure?', rule: 'rm' },
      { action: 'ask', message: 'sure?', rule: 'rm' },
    ],
    [null, undefined],
  ])('%j is answered as %j', async (decision, answer) => {
    expect(await commandHook(decides(decision))(payload)).toEqual(answer)
  })

  it.each([{ action: 'approve' }, { action: 7 }, {}, 'allow', ['allow'], undefined])(
    '%j is none, and the handler throws',
    async (decision) => {
      await expect(commandHook(decides(decision))(payload)).rejects.toThrow(
        /answered with a decision that is none of allow, block, ask and modify\.$/,
      )
    },
  )

  it.each(['allow', 'ask'])('%s with a field that no decision has is none', async (action) => {
    await expect(commandHook(decides({ action, mesage: 'x' }))(payload)).rejects.toThrow(
      /answered with "mesage" in a decision that holds action, message, rule\.$/,
    )
  })

  it('may not change arguments', async () => {
    const hook = commandHook(
      decides({ action: 'modify', args: { path: 'b' } }, { failClosed: false }),
    )
    await expect(hook(payload)).rejects.toThrow(/changes arguments, which a gate cannot/)
  })
})

describe('the decision of a transform', () => {
  it.each([
    { action: 'modify', args: { path: 'b' } },
    { action: 'modify', set: { '/path': 'b' }, remove: ['/big'] },
    { action: 'block', message: 'no' },
  ])('%j is answered as it is', async (decision) => {
    const hook = commandHook({ ...decides(decision), kind: 'transform' })
    expect(await hook(payload)).toEqual(decision)
  })

  it('is told that a transform is asked', async () => {
    const decision = '{ action: "modify", args: { kind: input.kind } }'
    const code = `console.log(JSON.stringify({ nonce: input.nonce, decision: ${decision} }))`
    const hook = commandHook({ ...script(code), kind: 'transform' })
    expect(await hook(payload)).toEqual({ action: 'modify', args: { kind: 'transform' } })
  })

  it('is no change when it gives what is there or allows', async () => {
    const same = commandHook({
      ...decides({ action: 'modify', args: { path: 'a' } }),
      kind: 'transform',
    })
    expect(await same(payload)).toBeUndefined()
    const allows = commandHook({ ...decides({ action: 'allow' }), kind: 'transform' })
    expect(await allows(payload)).toBeUndefined()
  })

  it('may not ask', async () => {
    const hook = commandHook({
      ...decides({ action: 'ask' }, { failClosed: false }),
      kind: 'transform',
    })
    await expect(hook(payload)).rejects.toThrow(/asks for approval, which a transform cannot/)
  })

  it('is no change where a field is misspelt, and the handler throws', async () => {
    const decision = { action: 'modify', arguments: { path: 'b' } }
    const hook = commandHook({ ...decides(decision), kind: 'transform' })
    await expect(hook(payload)).rejects.toThrow(
      /answered with "arguments" in a decision that holds action, args, set, remove\.$/,
    )
  })

  it.each([{ args: [1] }, { set: 'x' }, { remove: [1] }, { remove: {} }])(
    'must be well formed: %j is not',
    async (change) => {
      const hook = commandHook({ ...decides({ action: 'modify', ...change }), kind: 'transform' })
      await expect(hook(payload)).rejects.toThrow(/a change that is not \{args, set, remove\}/)
    },
  )
})

describe('an answer without proof', () => {
  it.each([
    ['nothing', '', /wrote no single JSON object/],
    ['garbage', 'console.log("allow")', /wrote no single JSON object/],
    [
      'JSON with something before it',
      'console.log("hi"); console.log(JSON.stringify({ nonce: input.nonce }))',
      /wrote no single JSON object/,
    ],
    [
      'an answer without the nonce',
      'console.log(JSON.stringify({ decision: { action: "allow" } }))',
      /without the nonce/,
    ],
    [
      'an answer with another nonce',
      'console.log(JSON.stringify({ nonce: "x", decision: { action: "allow" } }))',
      /without the nonce/,
    ],
    ['a crash', 'throw new Error("boom")', /ended with exit code 1\.$/],
    ['exit code 2', 'process.exitCode = 2', /ended with exit code 2\.$/],
    [
      'a right answer and a failure',
      'console.log(JSON.stringify({ nonce: input.nonce, decision: { action: "allow" } })); process.exitCode = 3',
      /ended with exit code 3\.$/,
    ],
    ['a signal', 'process.kill(process.pid, "SIGKILL")', /was ended by SIGKILL\.$/],
  ])('makes the handler throw: %s', async (_what, code, message) => {
    await expect(commandHook(script(code))(payload)).rejects.toThrow(message)
  })
})
