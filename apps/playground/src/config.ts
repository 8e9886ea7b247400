import { dirname, resolve } from 'node:path'

import { cliAdapter } from '@callgate/adapter-cli'
import { httpAdapter } from '@callgate/adapter-http'
import { serversFromConfig } from '@callgate/adapter-mcp'
import { createCoercer } from '@callgate/coercion'
import { readTools } from '@callgate/core'
import { CallgateError, type FieldFault } from '@callgate/spec'

import { configSchema, type PlaygroundConfig } from './config-schema.ts'
import { startableServers } from './mcp-servers.ts'
import type { Setup } from './playground.ts'
import { readYaml, type LocatedValue } from './yaml-file.ts'

/**
 * Reads a configuration file (YAML or JSON) into a gateway to be.
 *
 * @throws CallgateError `invalid_arguments` naming file, line, column and what fits there.
 */
export async function readConfig(path: string): Promise<Setup> {
  const file = await readYaml(path, refusal)
  const config = check(file)
  const folder = dirname(resolve(path))
  const { mcp_servers: servers, openapi = {}, tools = [] } = config
  const mcp = servers === undefined ? undefined : startableServers(serversOf(servers, file))
  return {
    options: {
      tools: readTools(tools),
      adapters: [
        cliAdapter({ workspace: folder }),
        ...(mcp === undefined ? [] : [mcp.adapter]),
        httpAdapter({
          documents: Object.entries(openapi).map(([name, { document, server, allow = [] }]) => ({
            name,
            document: resolve(folder, document),
            allow,
            ...(server === undefined ? {} : { server }),
          })),
        }),
      ],
      secrets: (name) => process.env[name],
    },
    mcp,
  }
}

/** @throws CallgateError at the line of the server whose fields contradict each other. */
function serversOf(
  block: NonNullable<PlaygroundConfig['mcp_servers']>,
  { locate }: LocatedValue,
): ReturnType<typeof serversFromConfig> {
  try {
    return serversFromConfig(block)
  } catch (error) {
    if (!CallgateError.isInstance(error)) throw error
    throw refusal(locate(error.where ?? ''), error.message.replace(/\.$/, ''), error.hint)
  }
}

function check({ value, locate }: LocatedValue): PlaygroundConfig {
  const { value: config, valid, errors } = createCoercer(configSchema).coerce(value ?? {})
  if (valid) return config as PlaygroundConfig
  // A name that is wrong explains why another is missing.
  const fault = errors.find(({ constraint }) => constraint === 'additionalProperties') ?? errors[0]!
  throw refusal(locate(fault.path, unknownField(fault)), describe(fault), nearName(fault))
}

function describe({ path, constraint, got, expected }: FieldFault): string {
  const where = path === '' ? '' : `${path}: `
  // The only alternatives of the schema are those of a server.
  if (constraint === 'anyOf') return `${where}it has neither "command" nor "url"`
  return `${where}got ${got}, expected ${expected}`
}

function unknownField({ constraint, got }: FieldFault): string | undefined {
  if (constraint !== 'additionalProperties') return undefined
  return /^the unknown field "(.*)"$/s.exec(got)?.[1]
}

function nearName({ constraint, suggestion }: FieldFault): string | undefined {
  return suggestion === undefined || constraint === 'required'
    ? undefined
    : `Did you mean "${suggestion}"?`
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
