import { createHookBus } from '@callgate/hooks'
import { defineAdapter, ToolError, type AdapterHost, type CallgateEvents } from '@callgate/spec'
import type { AdapterOutput, InvokeContext } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createGateway, memoryAudit } from '../src/index.ts'

const secret = 'p@ss/w0rd-very-long'
const forms: readonly [name: string, form: (text: string) => string][] = [
  ['as it is', (text) => text],
  ['in a URL', encodeURIComponent],
  ['in JSON', (text) => JSON.stringify(`${text}"`)],
  ['in Base64', btoa],
  ['behind a user name in Base64', (text) => btoa(`ab:${text}`)],
  ['behind another user name in Base64', (text) => btoa(`abc:${text}`)],
  ['in the Base64 of URLs', (text) => Buffer.from(text).toString('base64url')],
  ['as hexadecimal digits', (text) => Buffer.from(text).toString('hex')],
]

/** Calls a tool that has the secret, and gives all that came out of the gateway. */
async function allThatComesOf(
  invoke: (text: string, host: AdapterHost, context: InvokeContext) => AdapterOutput,
): Promise<string> {
  const adapter = defineAdapter<object>({
    contract: 1,
    name: 'leaky',
    capabilities: { isolation: 'none' },
    configSchema: { type: 'object' },
    create: (_, host) => ({
      invoke: async (_call, context) => invoke(host.secret('KEY'), host, context),
    }),
  })
  const seen: unknown[] = []
  const note = (...parts: readonly unknown[]): void => void seen.push(parts)
  const audit = memoryAudit()
  const hooks = createHookBus<CallgateEvents>()
  const gateway = createGateway({
    tools: [
      {
        namespace: 'a',
        name: 'b',
        description: 'c',
        parameters: true,
        backend: { adapter: 'leaky' },
      },
    ],
    adapters: [adapter({})],
    secrets: () => secret,
    ports: { audit },
    hooks,
    log: { debug: note, info: note, warn: note, error: note },
  })
  const result = await gateway.dispatch(
    { name: 'a::b', arguments: { p: 1 } },
    { onProgress: (progress) => note(progress) },
  )
  return JSON.stringify([result, audit.entries(), seen])
}

describe.each(forms)('a secret %s', (_, form) => {
  it('is in no part of an error, and not in the audit', async () => {
    const all = await allThatComesOf((text) => {
      throw new ToolError({
        code: 'tool_failed',
        message: `bad key ${form(text)} given`,
        rule: form(text),
        parameter: form(text),
        started: 'yes',
        backend: { code: 1, data: { stderr: form(text) } },
        cause: new Error(form(text)),
      })
    })
    expect(all).toContain('[redacted]')
    expect(all).not.toContain(form(secret))
  })

  it('is in no data, name of a field, content or metadata', async () => {
    const all = await allThatComesOf((text) => ({
      data: { [form(text)]: form(text) },
      content: [{ type: 'text', text: form(text) }],
      metadata: { [form(text)]: [form(text)] },
    }))
    expect(all.split('[redacted]').length).toBeGreaterThan(4)
    expect(all).not.toContain(form(secret))
  })

  it('is not in what a tool that failed says', async () => {
    const all = await allThatComesOf((text) => ({
      data: null,
      content: [{ type: 'text', text: `bad key ${form(text)}` }],
      isError: true,
    }))
    expect(all.split('[redacted]').length).toBeGreaterThan(3)
    expect(all).not.toContain(form(secret))
  })

  it('is not in progress, nor in the log', async () => {
    const all = await allThatComesOf((text, host, context) => {
      context.progress({ note: `with ${form(text)}`, partial: { type: 'text', text: form(text) } })
      context.log.warn(`with ${form(text)}`, { key: form(text) })
      host.log.info(`with ${form(text)}`, { key: form(text) })
      return { data: null }
    })
    expect(all.split('[redacted]')).toHaveLength(7)
    expect(all).not.toContain(form(secret))
  })
})
