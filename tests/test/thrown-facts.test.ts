import { createGateway } from '@callgate/core'
import { defineAdapter, errorCodes, ToolError, type BoundAdapter } from '@callgate/spec'
import { adapterSuite } from '@callgate/testkit'
import { expect, it } from 'vitest'

/** An adapter with one tool, which throws an error with these facts. */
function throwing(facts: object): BoundAdapter {
  return defineAdapter({
    contract: 1,
    name: 'odd',
    capabilities: { isolation: 'none' },
    configSchema: { type: 'object' },
    create: () => ({
      discover: async () => [
        {
          name: 'fail',
          description: 'Fails.',
          parameters: { type: 'object' },
          effects: { readOnly: true },
          backend: { adapter: 'odd' },
        },
      ],
      invoke: async () => {
        throw new ToolError({ code: 'tool_failed', message, started: 'no', ...facts })
      },
    }),
  })({})
}

const message = 'Nothing came of it.'

async function isShown(facts: object): Promise<boolean> {
  const gateway = createGateway({ adapters: [throwing(facts)] })
  try {
    await gateway.start()
    const { error } = await gateway.dispatch({ name: 'odd::fail', arguments: {} })
    return error?.message === message
  } finally {
    await gateway.close()
  }
}

async function passes(facts: object): Promise<boolean> {
  const tests = new Map<string, () => Promise<void>>()
  const call = { tool: 'fail', arguments: {} }
  adapterSuite(
    (name, run) => tests.set(name.split(':', 1)[0]!, run),
    async () => throwing(facts),
    { fixtures: { ok: call, fails: call, slow: call } },
  )
  try {
    await tests.get('tool-errors')!()
    return true
  } catch {
    return false
  }
}

// The suite proves what the gateway does, so the two must not drift apart.
it.each([
  ...Object.keys(errorCodes).map((code) => ({ code })),
  { code: 'tool_faild' },
  { code: 'toString' },
  { code: undefined },
  ...['yes', 'no', 'unknown', 'perhaps', undefined].map((started) => ({ started })),
  ...['r', 7, null].flatMap((text) => [{ rule: text }, { parameter: text }]),
  ...[0, 5, -1, Infinity, 'soon', null].map((retryAfterMs) => ({ retryAfterMs })),
])('the suite passes an error with %j just where the gateway shows it', async (facts) => {
  expect(await passes(facts)).toBe(await isShown(facts))
})
