import process from 'node:process'

import type {
  AdapterCall,
  AdapterHost,
  AdapterInstance,
  ContentPart,
  FieldFault,
  InvokeContext,
  JsonSchema,
  ToolDefinition,
} from '@callgate/spec'

import { mcpAdapter } from '../src/index.ts'
import type { McpAccess, McpOptions } from '../src/index.ts'

export interface LogLine {
  readonly level: string
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** What an adapter sees of its host, with everything it did kept for the test. */
export interface StubHost extends AdapterHost {
  readonly lines: LogLine[]
  changes: number
}

export function stubHost(secrets: Readonly<Record<string, string>> = {}): StubHost {
  const lines: LogLine[] = []
  const log = (level: string) => (message: string, fields?: object) =>
    void lines.push({ level, message, fields: { ...fields } })
  return {
    lines,
    changes: 0,
    log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    validator: (schema) => (value) => validate(schema, value),
    secret: (name) => {
      const value = secrets[name] ?? process.env[name]
      if (value === undefined) throw new Error(`no secret ${name}`)
      return value
    },
    toolsChanged() {
      this.changes += 1
    },
  }
}

/** As much of JSON Schema as the fixtures use: types of properties and what is required. */
function validate(schema: JsonSchema, value: unknown): readonly FieldFault[] {
  if (typeof schema !== 'object' || schema['properties'] === undefined) return []
  const properties = schema['properties'] as Record<string, { type?: string }>
  const fields = Object(value) as Record<string, unknown>
  const missing = ((schema['required'] ?? []) as string[])
    .filter((name) => fields[name] === undefined)
    .map((name) => ({
      path: `/${name}`,
      constraint: 'required',
      got: 'nothing',
      expected: 'a value',
    }))
  const wrong = Object.entries(properties)
    .filter(
      ([name, { type }]) => name in fields && type !== undefined && !isOfType(fields[name], type),
    )
    .map(([name, { type = '' }]) => ({
      path: `/${name}`,
      constraint: 'type',
      got: typeof fields[name],
      expected: type,
    }))
  return [...missing, ...wrong]
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'object') return typeof value === 'object'
  return typeof value === type
}

/** An adapter under test with its host. */
export interface Running {
  readonly host: StubHost
  readonly adapter: AdapterInstance
  /** The functions beside the tools. */
  readonly access: McpAccess
  readonly tools: () => Promise<readonly ToolDefinition[]>
  /** Calls `server.tool`. */
  readonly call: (
    tool: string,
    args?: unknown,
    context?: Partial<InvokeContext>,
  ) => ReturnType<AdapterInstance['invoke']>
}

export interface Progress {
  fraction?: number
  note?: string
  partial?: ContentPart
}

export function create(options: McpOptions, host: StubHost = stubHost()): Running {
  const access = mcpAdapter(options)
  const adapter = access.create({
    ...host,
    toolsChanged() {
      host.toolsChanged()
      void adapter.discover?.(new AbortController().signal)
    },
  })
  return {
    host,
    adapter,
    access,
    tools: async () =>
      (await adapter.discover?.(new AbortController().signal)) as readonly ToolDefinition[],
    call: (tool, args = {}, context = {}) =>
      adapter.invoke(callOf(toolNamed(tool), args), { ...contextOf(host), ...context }),
  }
}

/** Creates, starts and lists, as a gateway does; the caller stops it. */
export async function start(options: McpOptions, host?: StubHost): Promise<Running> {
  const running = create(options, host)
  await running.adapter.start?.(new AbortController().signal)
  await running.tools()
  return running
}

/** A call of a tool as the gateway would make it. */
export function callOf(tool: ToolDefinition, args: unknown): AdapterCall {
  return {
    callId: 'call-1',
    idempotencyKey: 'key-1',
    attempt: 1,
    arguments: args as AdapterCall['arguments'],
    tool,
  }
}

/** A definition for `server.tool`, as far as a call needs one. */
function toolNamed(name: string): ToolDefinition {
  const [server = '', ...rest] = name.split('.')
  const tool = rest.join('.')
  return {
    namespace: `mcp::${server}`,
    name: tool,
    description: tool,
    parameters: { type: 'object' },
    backend: { adapter: 'mcp', server, tool },
  }
}

export function contextOf(host: StubHost): InvokeContext {
  return {
    signal: new AbortController().signal,
    log: host.log,
    progress: () => undefined,
    blob: () => ({
      write: () => Promise.resolve(),
      close: () => Promise.resolve({ blobId: 'blob-1', bytes: 0 }),
    }),
  }
}

/** Waits until a condition holds, by asking again and again. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  withinMs = 10_000,
): Promise<void> {
  const end = performance.now() + withinMs
  while (!(await condition())) {
    if (performance.now() > end)
      throw new Error(`not within ${String(withinMs)} ms: ${condition.toString()}`)
    await new Promise((resolve) => {
      setTimeout(resolve, 10)
    })
  }
}
