import { dirname, resolve } from 'node:path'

import { cliAdapter } from '@callgate/adapter-cli'
import { httpAdapter } from '@callgate/adapter-http'
import { serversFromConfig } from '@callgate/adapter-mcp'
import { createCoercer } from '@callgate/coercion'
import { readTools } from '@callgate/core'
import { CallgateError, type FieldFault } from '@callgate/spec'

import { configSchema, type PlaygroundConfig } from './config-schema.ts'
import { inFolder, startableServers } from './mcp-servers.ts'
import { checkNeeds, isAddress } from './needs.ts'
import type { Setup } from './playground.ts'
import { sentence } from './report/error-line.ts'
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
  const pathOf = (document: string): string =>
    isAddress(document) ? document : resolve(folder, document)
  const { openapi = {}, tools = [] } = config
  const place = (error: unknown): unknown => placed(error, config, file, path)
  const servers = serversGiven(file, config)
  const mcp =
    servers === undefined ? undefined : startableServers(inFolder(serversOf(servers, file), folder))
  return {
    options: {
      tools: inPlace(() => readTools(tools), place),
      adapters: [
        cliAdapter({ workspace: folder }),
        ...(mcp === undefined ? [] : [mcp.adapter]),
        httpAdapter({
          documents: Object.entries(openapi).map(([name, { document, server, allow = [] }]) => ({
            name,
            document: pathOf(document),
            allow,
            ...(server === undefined ? {} : { server }),
          })),
        }),
      ],
      secrets: (name) => process.env[name],
    },
    mcp,
    file: {
      checkNeeds: () => checkNeeds(config, file, pathOf, refusal),
      placed: place,
    },
  }
}

/** As the file has them: what a model may mean is repaired, what a person has to write is not. */
function serversGiven(
  { value }: LocatedValue,
  { mcp_servers: repaired }: PlaygroundConfig,
): PlaygroundConfig['mcp_servers'] {
  const { mcp_servers: given } = (value ?? {}) as PlaygroundConfig
  return given ?? repaired
}

/** An error of the options that the configuration became, with its place in the file, or with the file alone. */
function placed(
  error: unknown,
  config: PlaygroundConfig,
  { locate }: LocatedValue,
  path: string,
): unknown {
  if (!CallgateError.isInstance(error) || error.code !== 'invalid_arguments') return error
  const { where = '', message, hint } = error
  const pointer = pointerOfOption(where, config) ?? pointerOfName(where, config)
  const place = pointer === undefined ? path : locate(pointer)
  return refusal(place, message.trim().replace(/\.$/, ''), hint)
}

/** Where in the file an option of the gateway or of an adapter stands. */
function pointerOfOption(where: string, { openapi = {} }: PlaygroundConfig): string | undefined {
  const [, option, number = '', rest = ''] =
    /^(?:mcp|http)?\/(servers|documents\/(\d+)|(?:tools\/)?\d+)(\/.*)?$/s.exec(where) ?? []
  if (option === undefined) return undefined
  if (option === 'servers') return `/mcp_servers${rest}`
  if (number === '') return `/tools/${option.replace('tools/', '')}${rest}`
  return `${pointerOfDocument(Object.keys(openapi)[Number(number)] ?? '')}${rest}`
}

/** Where in the file a document or a tool of this name stands. */
function pointerOfName(
  where: string,
  { openapi = {}, tools = [] }: PlaygroundConfig,
): string | undefined {
  if (Object.hasOwn(openapi, where)) return pointerOfDocument(where)
  const [id] = where.split('#')
  const tool = (
    tools as readonly { readonly namespace?: string; readonly name?: string }[]
  ).findIndex(({ namespace, name }) => `${namespace}::${name}` === id)
  return tool === -1 ? undefined : `/tools/${tool}`
}

function pointerOfDocument(name: string): string {
  return `/openapi/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** Gives what `make` gives. @throws what it throws, with its place in the file. */
function inPlace<T>(make: () => T, place: (error: unknown) => unknown): T {
  try {
    return make()
  } catch (error) {
    throw place(error)
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
  const { tools } = (value ?? {}) as { readonly tools?: unknown }
  if (typeof tools === 'object' && tools !== null && !Array.isArray(tools)) {
    throw refusal(locate('/tools'), 'tools is a list, not a map', 'Begin each tool with a dash.')
  }
  const { value: config, valid, errors } = createCoercer(configSchema).coerce(value ?? {})
  if (valid) return config as PlaygroundConfig
  // A name that is wrong explains why another is missing.
  const fault = errors.find(({ constraint }) => constraint === 'additionalProperties') ?? errors[0]!
  throw refusal(locate(fault.path, unknownField(fault)), describe(fault), nearName(fault))
}

function describe({ path, constraint, got, expected }: FieldFault): string {
  const where = path === '' ? '' : `${path}: `
  // The only alternatives of the schema are those of a server.
  if (constraint === 'anyOf') return `${where}it has none of "command", "url" and "socket"`
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
    message: sentence(`The configuration is refused: ${why}`),
    ...(hint === undefined ? {} : { hint }),
  })
}
