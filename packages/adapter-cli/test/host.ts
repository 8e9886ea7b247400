import type {
  AdapterCall,
  AdapterHost,
  AdapterInstance,
  AdapterOutput,
  BoundAdapter,
  FieldFault,
  InvokeContext,
  Logger,
  ToolDefinition,
} from '@callgate/spec'
import { Ajv2020 } from 'ajv/dist/2020.js'

/** What a blob took. */
export interface StoredBlob {
  readonly name: string | undefined
  readonly chunks: Uint8Array[]
  isClosed: boolean
}

export interface TestHost extends AdapterHost {
  readonly lines: string[]
}

/** A host as small as the contract allows: real validation, secrets from a map, a log that is kept. */
export function testHost(secrets: { readonly [name: string]: string } = {}): TestHost {
  const lines: string[] = []
  const write =
    (level: string) =>
    (message: string): void =>
      void lines.push(`${level} ${message}`)
  const log: Logger = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  }
  return {
    lines,
    log,
    validator: (schema) => {
      const validate = new Ajv2020({ strict: false }).compile(schema as object)
      return (value): readonly FieldFault[] => {
        if (validate(value)) return []
        return (validate.errors ?? []).map((error) => ({
          path: error.instancePath,
          constraint: error.keyword,
          got: JSON.stringify(error.params),
          expected: error.message ?? '',
        }))
      }
    },
    secret: (name) => {
      const value = secrets[name]
      if (value === undefined) throw new Error(`No secret ${name}.`)
      return value
    },
    toolsChanged: () => undefined,
  }
}

/** A declared tool of the adapter, without its namespace spelt out each time. */
export function tool(
  backend: { readonly command: string; readonly [key: string]: unknown },
  properties: { readonly [name: string]: object } = {},
  required: readonly string[] = Object.keys(properties),
): ToolDefinition {
  return {
    namespace: 'local',
    name: 'probe',
    description: 'A tool of a test.',
    parameters: { type: 'object', properties, required, additionalProperties: false },
    backend: { adapter: 'cli', argsTemplate: [], ...backend },
  }
}

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: InvokeContext['progress']
  readonly blobs?: StoredBlob[]
  readonly onBlobWrite?: (chunk: Uint8Array) => Promise<void>
}

/** Calls a tool of a started instance. */
export function call(
  instance: AdapterInstance,
  definition: ToolDefinition,
  values: AdapterCall['arguments'] = {},
  options: CallOptions = {},
): Promise<AdapterOutput> {
  const { log } = testHost()
  const { signal = new AbortController().signal, onProgress, blobs = [], onBlobWrite } = options
  return instance.invoke(
    { callId: 'call-1', tool: definition, arguments: values, idempotencyKey: 'key', attempt: 1 },
    {
      signal,
      log,
      progress: (progress) => onProgress?.(progress),
      blob: ({ name }) => {
        const stored: StoredBlob = { name, chunks: [], isClosed: false }
        const id = blobs.push(stored)
        return {
          write: async (chunk) => {
            await onBlobWrite?.(chunk)
            if (onBlobWrite === undefined) stored.chunks.push(Uint8Array.from(chunk))
          },
          close: async () => {
            stored.isClosed = true
            return { blobId: `blob-${id}`, bytes: Buffer.concat(stored.chunks).length }
          },
        }
      },
    },
  )
}

/** Makes an instance, runs something with it and stops it whatever happens. */
export async function withInstance<Result>(
  bound: BoundAdapter,
  run: (instance: AdapterInstance, host: TestHost) => Promise<Result>,
  secrets: { readonly [name: string]: string } = {},
): Promise<Result> {
  const host = testHost(secrets)
  const instance = bound.create(host)
  try {
    return await run(instance, host)
  } finally {
    await instance.stop?.({ graceMs: 1000 })
  }
}
