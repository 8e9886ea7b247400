import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

import { cliAdapter } from '@callgate/adapter-cli'
import { httpAdapter } from '@callgate/adapter-http'
import { mcpAdapter, type McpServer } from '@callgate/adapter-mcp'
import { createCoercer } from '@callgate/coercion'
import type { GatewayOptions } from '@callgate/core'
import { CallgateError, type ToolDefinition } from '@callgate/spec'
import { LineCounter, parseDocument } from 'yaml'

import { configSchema, type PlaygroundConfig, type ToolEntry } from './config-schema.ts'

/**
 * Reads a configuration file (YAML or JSON) into the options of a gateway.
 *
 * @throws CallgateError `invalid_arguments` naming file, line, column and what fits there.
 */
export async function readConfig(path: string): Promise<GatewayOptions> {
  const config = check(await parse(path), path)
  const folder = dirname(resolve(path))
  return {
    tools: (config.tools ?? []).map(toDefinition),
    adapters: [
      cliAdapter({ workspace: folder }),
      ...(config.mcp_servers === undefined
        ? []
        : [mcpAdapter({ servers: mapValues(config.mcp_servers, toServer) })]),
      httpAdapter({
        documents: Object.entries(config.openapi ?? {}).map(
          ([name, { document, server, allow = [] }]) => ({
            name,
            document: resolve(folder, document),
            allow,
            ...(server === undefined ? {} : { server }),
          }),
        ),
      }),
    ],
    secrets: (name) => process.env[name],
  }
}

interface Parsed {
  readonly value: unknown
  /** Line and column of a place in the file, from 1. */
  locate(path: string): string
}

async function parse(path: string): Promise<Parsed> {
  const lines = new LineCounter()
  const document = parseDocument(await readText(path), { lineCounter: lines, prettyErrors: true })
  const [fault] = document.errors
  if (fault !== undefined)
    throw refusal(path, `it is not YAML or JSON: ${fault.message.split('\n')[0]}`)
  return {
    value: document.toJS() as unknown,
    locate(pointer) {
      const keys = pointer
        .split('/')
        .slice(1)
        .map((key) => (/^\d+$/.test(key) ? Number(key) : key))
      const node = document.getIn(keys, true) as
        | { range?: readonly [number, number, number] }
        | undefined
      if (node?.range === undefined) return path
      const { line, col } = lines.linePos(node.range[0])
      return `${path}:${line}:${col}`
    },
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw refusal(path, `it cannot be read: ${(cause as Error).message}`)
  }
}

function check({ value, locate }: Parsed, path: string): PlaygroundConfig {
  const { value: config, valid, errors } = createCoercer(configSchema).coerce(value ?? {})
  if (valid) return config as PlaygroundConfig
  const [fault] = errors
  throw refusal(
    locate(fault!.path),
    `${fault!.path || path}: got ${fault!.got}, expected ${fault!.expected}`,
    fault!.suggestion,
  )
}

function refusal(where: string, why: string, hint?: string): CallgateError {
  return new CallgateError({
    code: 'invalid_arguments',
    rule: 'config',
    where,
    message: `The configuration is refused: ${why}.`,
    ...(hint === undefined ? {} : { hint }),
  })
}

function toServer(server: NonNullable<PlaygroundConfig['mcp_servers']>[string]): McpServer {
  const { url, command, args, env, headers, timeout_seconds: seconds, debug } = server
  const common = {
    ...(seconds === undefined ? {} : { timeoutMs: seconds * 1000 }),
    ...(debug === undefined ? {} : { debug }),
  }
  if (url !== undefined) return { url, ...common, ...(headers === undefined ? {} : { headers }) }
  return {
    command: command!,
    ...common,
    ...(args === undefined ? {} : { args }),
    ...(env === undefined ? {} : { env }),
  }
}

function toDefinition(entry: ToolEntry): ToolDefinition {
  const {
    adapter,
    command,
    args_template: argsTemplate,
    working_dir: workingDir,
    method,
    url,
    query,
    headers,
    body,
    effects,
    ...tool
  } = entry
  const block = { command, argsTemplate, workingDir, method, url, query, headers, body }
  return {
    ...tool,
    ...(effects === undefined
      ? {}
      : {
          effects: {
            readOnly: effects.read_only ?? false,
            destructive: effects.destructive ?? false,
          },
        }),
    backend: {
      adapter,
      ...Object.fromEntries(Object.entries(block).filter(([, value]) => value !== undefined)),
    },
  }
}

function mapValues<A, B>(
  record: { readonly [key: string]: A },
  change: (value: A) => B,
): { readonly [key: string]: B } {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}
