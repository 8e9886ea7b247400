import { describe, expect, it } from 'vitest'

import { commandHook } from '../../src/command.ts'
import { createHookBus } from '../../src/index.ts'
import { says, scratchFile, script, written } from './support.ts'

const payload = {
  callId: 'call_1',
  sessionId: 's1',
  tool: 'mcp::my-files::write',
  arguments: { a: 1, b: 2 },
}

describe('what a hook of Claude Code or Hermes reads', () => {
  it('has their fields', async () => {
    const path = scratchFile()
    const code = `require("node:fs").writeFileSync(${JSON.stringify(path)}, JSON.stringify(input) + "\\n")`
    await commandHook(script(code, { dialect: 'exit-code', cwd: '/' }))(payload)
    expect(JSON.parse(await written(path))).toEqual({
      hook_event_name: 'PreToolUse',
      tool_name: 'mcp__my_files__write',
      tool_input: { a: 1, b: 2 },
      tool_use_id: 'call_1',
      session_id: 's1',
      cwd: '/',
    })
  })

  it('names the event as Hermes does where it is told to', async () => {
    const code =
      'console.error(input.hook_event_name, input.cwd === process.cwd()); process.exitCode = 2'
    const hook = commandHook(script(code, { dialect: 'exit-code', event: 'pre_tool_call' }))
    expect(await hook({})).toEqual({ action: 'block', message: 'pre_tool_call true' })
  })
})

describe('exit code 2', () => {
  it('blocks with what stderr says (H90)', async () => {
    const hook = commandHook(says('', { code: 2, stderr: 'no rm' }))
    expect(await hook(payload)).toEqual({ action: 'block', message: 'no rm' })
  })

  it('blocks with at most 400 characters (H90)', async () => {
    const hook = commandHook(says('', { code: 2, stderr: 'x'.repeat(5000) }))
    expect(await hook(payload)).toEqual({ action: 'block', message: 'x'.repeat(400) })
  })

  it.each([
    { reason: 'by JSON' },
    { message: 'by JSON' },
    { hookSpecificOutput: { permissionDecisionReason: 'by JSON' }, reason: 'outer' },
  ])('prefers the reason in the JSON: %j', async (answer) => {
    const hook = commandHook(says(answer, { code: 2, stderr: 'by stderr' }))
    expect(await hook(payload)).toEqual({ action: 'block', message: 'by JSON' })
  })

  it('blocks without a word too', async () => {
    expect(await commandHook(says('', { code: 2 }))(payload)).toEqual({ action: 'block' })
  })

  it('blocks even when its JSON allows', async () => {
    expect(await commandHook(says({ decision: 'approve' }, { code: 2 }))(payload)).toEqual({
      action: 'block',
    })
  })
})

describe('exit code 0', () => {
  it.each([
    ['', undefined],
    ['all good', undefined],
    ['[1]', undefined],
    [{ audited: true }, undefined],
    [
      { action: 'block', message: 'no' },
      { action: 'block', message: 'no' },
    ],
    [{ action: 'deny' }, { action: 'block' }],
    [{ action: 'allow' }, { action: 'allow' }],
    [
      { action: 'ask', message: 'sure?', rule_key: 'rm' },
      { action: 'ask', message: 'sure?', rule: 'rm' },
    ],
    [
      { decision: 'block', reason: 'no' },
      { action: 'block', message: 'no' },
    ],
    [
      { decision: 'deny', reason: 'no' },
      { action: 'block', message: 'no' },
    ],
    [{ decision: 'approve' }, { action: 'allow' }],
    [
      { decision: 'ask', reason: 'why' },
      { action: 'ask', message: 'why' },
    ],
    [{ decision: null }, undefined],
    [
      { continue: false, stopReason: 'stop' },
      { action: 'block', message: 'stop' },
    ],
    [
      { hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'no' } },
      { action: 'block', message: 'no' },
    ],
    [{ hookSpecificOutput: { permissionDecision: 'allow' } }, { action: 'allow' }],
    [
      { hookSpecificOutput: { permissionDecision: 'ask', permissionDecisionReason: 'why' } },
      { action: 'ask', message: 'why' },
    ],
    [{ hookSpecificOutput: { permissionDecision: 'defer' } }, { action: 'ask' }],
    [
      { decision: 'approve', hookSpecificOutput: { permissionDecision: 'deny' }, reason: 'no' },
      { action: 'block', message: 'no' },
    ],
    ['profile loaded\n{"decision":"block"}', { action: 'block' }],
  ])('with %j on stdout is answered as %j', async (stdout, answer) => {
    expect(await commandHook(says(stdout))(payload)).toEqual(answer)
  })

  it('asks a human where Hermes says approve (H96)', async () => {
    const hook = commandHook(says({ action: 'approve', message: 'ask' }))
    expect(await hook(payload)).toEqual({ action: 'ask', message: 'ask' })
  })

  it.each([
    ['{"decision": "block"', /wrote broken JSON/],
    ['note\n  {"decision": ', /wrote broken JSON/],
    [{ decision: 'maybe' }, /a decision that nobody knows/],
    [{ action: true }, /a decision that nobody knows/],
    [{ hookSpecificOutput: { permissionDecision: 'yes' } }, /a decision that nobody knows/],
    [{ action: 'modify', args: 'x' }, /arguments that are no object/],
  ])('with %j on stdout is a failure', async (stdout, message) => {
    await expect(commandHook(says(stdout))(payload)).rejects.toThrow(message)
  })
})

describe('changed arguments', () => {
  it.each([
    [
      { action: 'modify', args: { a: 2 } },
      { action: 'modify', args: { a: 2 } },
    ],
    [
      { decision: 'approve', tool_input: { a: 2 } },
      { action: 'modify', args: { a: 2 } },
    ],
    [{ action: 'modify' }, undefined],
    [{ action: 'modify', args: { b: 2 } }, undefined],
    [{ action: 'block', args: { a: 2 } }, { action: 'block' }],
    [{ decision: 'approve' }, undefined],
    [
      { hookSpecificOutput: { permissionDecision: 'allow', updatedInput: { a: 2 } } },
      { action: 'modify', args: { a: 2 }, remove: ['/b'] },
    ],
    [{ hookSpecificOutput: { updatedInput: { b: 2, a: 1 } } }, undefined],
  ])('a transform that says %j answers %j', async (stdout, answer) => {
    expect(await commandHook({ ...says(stdout), kind: 'transform' })(payload)).toEqual(answer)
  })

  it('are written with pointers where a key has a slash or a tilde', async () => {
    const hook = commandHook({
      ...says({ hookSpecificOutput: { updatedInput: {} } }),
      kind: 'transform',
    })
    expect(await hook({ ...payload, arguments: { 'a/b~c': 1 } })).toEqual({
      action: 'modify',
      args: {},
      remove: ['/a~1b~0c'],
    })
  })

  it('make a gate throw, since it would lose them', async () => {
    const hook = commandHook(says({ action: 'modify', args: { a: 2 } }, { failClosed: false }))
    await expect(hook(payload)).rejects.toThrow(/changes arguments, which a gate cannot/)
  })

  it('are nothing new to a gate that gives them again', async () => {
    const answer = {
      hookSpecificOutput: { permissionDecision: 'allow', updatedInput: { a: 1, b: 2 } },
    }
    expect(await commandHook(says(answer))(payload)).toEqual({ action: 'allow' })
  })

  it('and a question together make a transform throw, unless a gate is there to ask', async () => {
    const answer = { decision: 'ask', tool_input: { a: 2 } }
    const alone = commandHook({ ...says(answer), kind: 'transform' })
    await expect(alone(payload)).rejects.toThrow(/asks for approval, which a transform cannot/)
    const paired = commandHook({ ...says(answer, { withGate: true }), kind: 'transform' })
    expect(await paired(payload)).toEqual({ action: 'modify', args: { a: 2 } })
  })
})

describe('other ends', () => {
  it('make the handler throw, naming the command and its exit code (H92)', async () => {
    const hook = commandHook(says('', { code: 1, stderr: 'Traceback' }))
    const error = await hook(payload).then(
      () => undefined,
      (thrown: unknown) => thrown as Error,
    )
    expect(error?.message).toBe('Hook command "node" ended with exit code 1.')
    expect(error?.cause).toBe(`${process.execPath}: Traceback`)
  })

  it('count for nothing, even with a decision on stdout', async () => {
    const hook = commandHook(says({ decision: 'approve' }, { code: 127 }))
    await expect(hook(payload)).rejects.toThrow(/exit code 127/)
  })
})

describe('on a bus', () => {
  it('a command blocks as any gate does, and changes as any transform', async () => {
    interface Events {
      before: {
        payload: { tool: string; arguments: object }
        transform:
          | { action: 'modify'; args?: object }
          | { action: 'block'; message?: string }
          | void
        gate: { action: 'allow' | 'ask' } | { action: 'block'; message?: string } | void
      }
    }
    const bus = createHookBus<Events>()
    bus.declare('before', { kind: 'gate', fault: 'block' })
    const transform = commandHook({ ...says({ args: { a: 2 } }), kind: 'transform' })
    const code = 'console.error(JSON.stringify(input.tool_input)); process.exitCode = 2'
    bus.on('before', transform, { kind: 'transform' })
    bus.on('before', commandHook(script(code, { dialect: 'exit-code' })))
    const outcome = await bus.run('before', payload, {
      apply: (before, change) => ({
        ...before,
        arguments: { ...before.arguments, ...(change as { args: object }).args },
      }),
    })
    expect(outcome.decision).toBe('block')
    expect(outcome.blockedBy?.message).toBe('{"a":2,"b":2}')
  })
})
