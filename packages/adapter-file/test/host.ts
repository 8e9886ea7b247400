import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import {
  ToolError,
  type AdapterHost,
  type AdapterInstance,
  type AdapterOutput,
  type BoundAdapter,
  type InvokeContext,
  type ToolDefinition,
} from '@callgate/spec'
import { Ajv2020 } from 'ajv/dist/2020.js'

import { fileAdapter, type FileLimits, type OperationName, type RootOptions } from '../src/index.ts'

const nothing = (): void => undefined
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }

/** A host as small as the contract allows, with real validation. */
export const host: AdapterHost = {
  log,
  validator: (schema) => {
    const validate = new Ajv2020({ strict: false }).compile(schema as object)
    return (value) => {
      if (validate(value)) return []
      return (validate.errors ?? []).map(({ instancePath, keyword, message = '' }) => ({
        path: instancePath,
        constraint: keyword,
        got: 'something else',
        expected: message,
      }))
    }
  },
  secret: (name) => name,
  toolsChanged: nothing,
}

export interface Workspace {
  /** The folder of the root `workspace`. */
  readonly root: string
  /** A folder beside it. */
  readonly outside: string
  /** Puts a file into the root, with the folders that it needs. */
  put(path: string, content: string | Uint8Array): void
  /** The path of the host. */
  at(path: string): string
  call(
    operation: OperationName,
    args: { readonly [name: string]: unknown },
    options?: { readonly signal?: AbortSignal },
  ): Promise<AdapterOutput>
  /** The data of a call that succeeds. */
  data<Data>(operation: OperationName, args: { readonly [name: string]: unknown }): Promise<Data>
  /** The error of a call that fails. */
  error(operation: OperationName, args: { readonly [name: string]: unknown }): Promise<ToolError>
  readonly instance: AdapterInstance
}

export interface WorkspaceOptions {
  readonly root?: Omit<RootOptions, 'path'>
  readonly limits?: FileLimits
}

/** Runs something with an adapter that has one new, writable root, and takes everything away afterwards. */
export async function inWorkspace<Result>(
  run: (workspace: Workspace) => Promise<Result>,
  { root: rootOptions = {}, limits = {} }: WorkspaceOptions = {},
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'callgate-file-'))
  const root = join(folder, 'root')
  const outside = join(folder, 'out')
  for (const path of [root, outside]) mkdirSync(path)
  const bound = fileAdapter({
    roots: { workspace: { path: root, write: true, ...rootOptions } },
    limits,
  })
  const instance = await started(bound)
  const tools = new Map((await toolsOf(instance)).map((tool) => [tool.name, tool]))
  const at = (path: string): string => join(root, path)
  const call: Workspace['call'] = async (operation, args, options = {}) => {
    const tool = tools.get(operation)
    if (tool === undefined) throw new Error(`There is no tool ${operation}.`)
    return invoke(instance, tool, args, options.signal)
  }
  try {
    return await run({
      root,
      outside,
      instance,
      at,
      put(path, content) {
        mkdirSync(dirname(at(path)), { recursive: true })
        writeFileSync(at(path), content)
      },
      call,
      data: async <Data>(operation: OperationName, args: object) =>
        (await call(operation, { ...args })).data as Data,
      error: async (operation, args) => errorOf(call(operation, args)),
    })
  } finally {
    await instance.stop?.({ graceMs: 1000 })
    rmSync(folder, { recursive: true })
  }
}

export async function started(bound: BoundAdapter): Promise<AdapterInstance> {
  const instance = bound.create(host)
  await instance.start?.(new AbortController().signal)
  return instance
}

export async function toolsOf(instance: AdapterInstance): Promise<readonly ToolDefinition[]> {
  const found = (await instance.discover?.(new AbortController().signal)) ?? []
  return found.map((tool) => ({ namespace: 'file', ...tool }))
}

export function invoke(
  instance: AdapterInstance,
  tool: ToolDefinition,
  args: { readonly [name: string]: unknown },
  signal: AbortSignal = new AbortController().signal,
): Promise<AdapterOutput> {
  const context: InvokeContext = {
    signal,
    log,
    progress: nothing,
    blob: () => {
      throw new Error('Nothing is put into a blob.')
    },
  }
  return instance.invoke(
    { callId: 'call', tool, arguments: args, idempotencyKey: 'key', attempt: 1 },
    context,
  )
}

/** Makes a named pipe. Node cannot. */
export function makePipe(path: string): void {
  const program = 'mkfifo'
  execFileSync(program, [path])
}

export async function errorOf(outcome: Promise<unknown>): Promise<ToolError> {
  try {
    await outcome
  } catch (error) {
    if (ToolError.isInstance(error)) return error
    throw error
  }
  throw new Error('It succeeded.')
}
