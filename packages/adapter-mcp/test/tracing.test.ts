import { execFile } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { describe, expect, it } from 'vitest'

const host = fileURLToPath(new URL('fixtures/traced-host.ts', import.meta.url))

interface Told {
  readonly spans: readonly {
    readonly name: string
    readonly attributes: Readonly<Record<string, unknown>>
    readonly id: string
    readonly trace: string
    readonly parent?: string
  }[]
  readonly sent: { readonly id: number; readonly params: Readonly<Record<string, unknown>> }
}

async function run(...args: readonly string[]): Promise<Told> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=@callgate/source',
    host,
    ...args,
  ])
  return JSON.parse(stdout) as Told
}

describe('a call in a host with OpenTelemetry', () => {
  it('is a span with its way and its times, and tells the server its context', async () => {
    const { spans, sent } = await run()
    const named = Object.fromEntries(spans.map((span) => [span.name, span]))
    const span = named['tools/call echo']
    expect(span?.attributes).toMatchObject({
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'echo',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.call.id': 'call-1',
      'network.transport': 'tcp',
      'callgate.mcp.server': 's',
      'callgate.mcp.transport': 'http',
      'callgate.mcp.era': 'legacy',
      'callgate.mcp.outcome': 'done',
      'callgate.mcp.queue_ms': expect.any(Number) as number,
      'callgate.mcp.wire_ms': expect.any(Number) as number,
      'callgate.mcp.read_ms': expect.any(Number) as number,
      'callgate.mcp.bytes': expect.any(Number) as number,
      'callgate.tool.id': 'mcp::s::echo',
      'callgate.attempt': 1,
    })
    expect(span?.parent).toBe(named['turn']?.id)
    expect(sent.params['_meta']).toEqual({
      progressToken: sent.id,
      traceparent: `00-${String(span?.trace)}-${String(span?.id)}-01`,
    })
    expect(named['tools/call silent']?.attributes).toMatchObject({
      'error.type': 'timeout',
      'callgate.mcp.outcome': 'unknown',
    })
  })
})

describe('a call in a host without it', () => {
  it('tells the server no context', async () => {
    const { spans, sent } = await run('plain')
    expect(spans).toEqual([])
    expect(sent.params['_meta']).toEqual({ progressToken: sent.id })
  })
})
