import type { AdapterHost, InvokeContext, Logger, ToolDefinition } from '@callgate/spec'

import type { HttpAdapterOptions } from '../src/index.ts'
import { httpAdapter } from '../src/index.ts'

/** What a blob was given. */
interface StoredBlob {
  readonly mediaType: string
  readonly name?: string
  readonly chunks: Uint8Array[]
}

/** A host that keeps what it is given, for tests. */
export interface TestHost extends AdapterHost {
  readonly logged: string[]
}

/** Makes a host that knows some secrets; its validator finds no fault, since the core's is tested elsewhere. */
export function testHost(secrets: Record<string, string> = {}): TestHost {
  const logged: string[] = []
  const record = (message: string): void => {
    logged.push(message)
  }
  const log: Logger = { debug: record, info: record, warn: record, error: record }
  return {
    log,
    logged,
    validator: () => () => [],
    secret: (name) => {
      const value = secrets[name]
      if (value === undefined) throw new Error(`no secret ${name}`)
      return value
    },
    toolsChanged: () => undefined,
  }
}

/** A context of one call, with its blobs and its progress. */
export interface TestContext extends InvokeContext {
  readonly blobs: StoredBlob[]
  readonly partials: string[]
}

export function testContext(signal: AbortSignal = new AbortController().signal): TestContext {
  const blobs: StoredBlob[] = []
  const partials: string[] = []
  return {
    signal,
    log: testHost().log,
    blobs,
    partials,
    progress: ({ partial }) => {
      if (partial?.type === 'text') partials.push(partial.text)
    },
    blob: (options) => {
      const chunks: Uint8Array[] = []
      blobs.push({ ...options, chunks })
      return {
        write: async (chunk) => {
          chunks.push(chunk)
        },
        close: async () => ({
          blobId: `blob-${blobs.length}`,
          bytes: chunks.reduce((sum, chunk) => sum + chunk.length, 0),
        }),
      }
    },
  }
}

/** The adapter under test with a host around it. */
export function testAdapter(options: HttpAdapterOptions, secrets: Record<string, string> = {}) {
  const host = testHost(secrets)
  const instance = httpAdapter(options).create(host)
  const invoke = (
    tool: ToolDefinition,
    args: { readonly [name: string]: unknown } = {},
    context: InvokeContext = testContext(),
  ) =>
    instance.invoke(
      { callId: 'call-1', tool, arguments: args, idempotencyKey: 'key-1', attempt: 1 },
      context,
    )
  const discover = async () => {
    const tools = await instance.discover?.(new AbortController().signal)
    const found = new Map((tools ?? []).map((tool) => [tool.name, tool as ToolDefinition]))
    return (name: string): ToolDefinition => {
      const tool = found.get(name)
      if (!tool) throw new Error(`no tool ${name} among ${[...found.keys()].join(', ')}`)
      return tool
    }
  }
  return { host, instance, invoke, discover }
}

/** A hand-declared tool with untyped parameters of these names. */
export function declaredTool(
  backend: Record<string, unknown>,
  parameters: readonly string[] = [],
): ToolDefinition {
  return {
    namespace: 'http::test',
    name: 'tool',
    description: 'A tool under test.',
    parameters: {
      type: 'object',
      properties: Object.fromEntries(parameters.map((name) => [name, {}])),
    },
    backend: { adapter: 'http', ...backend },
  }
}
