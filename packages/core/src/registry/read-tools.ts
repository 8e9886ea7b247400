import { InvalidToolError, type ToolDefinition } from '@callgate/spec'

import { shown, type Misfit } from '../checks/check.ts'
import { pointer } from '../checks/shapes.ts'
import { compositeBlock } from './composite-block.ts'
import { declaredTool, ownKeys } from './declared-fields.ts'
import { codeNamed } from './fault-names.ts'
import { camelCase, camelKeys, isRecord, pathAsWritten, pick, type Data } from './read-data.ts'
import { inputsToSchema, outputsToSchema, type Input } from './read-inputs.ts'
import { saidTwice, writtenTwice } from './twins.ts'

/**
 * Reads tools declared as data (R5.2, R5.3): both notations of the articles and their twins, in snake_case or
 * camelCase. Takes what a YAML or JSON file holds: `{ tools: [...] }`, `{ tool: {...} }`, a list, or one tool.
 *
 * @throws InvalidToolError naming the tool, the key and what fits there.
 */
export function readTools(document: unknown): readonly ToolDefinition[] {
  if (Array.isArray(document)) return document.map((item, index) => readTool(item, `/${index}`))
  if (!isRecord(document)) throw refusal('', document, 'a tool, or a list of tools')
  if (document['tools'] !== undefined && document['tool'] !== undefined) {
    throw refusal('/tool', document['tool'], 'only one of tool and tools')
  }
  if (Array.isArray(document['tools'])) {
    return document['tools'].map((item, index) => readTool(item, `/tools/${index}`))
  }
  if ('tools' in document && !('name' in document)) {
    throw refusal('/tools', document['tools'], 'a list of tools')
  }
  return 'tool' in document ? [readTool(document['tool'], '/tool')] : [readTool(document, '')]
}

function readTool(item: unknown, where: string): ToolDefinition {
  if (!isRecord(item)) throw refusal(where, item, 'a tool: an object with name and description')
  refuseMisfit(where, item, spelledTwice(item))
  const data = plainKeys(item)
  refuseMisfit(where, item, declaredTool(data) ?? saidTwice(data))
  const backend = readBackend(data, where)
  refuseMisfit(where, item, compositeMisfit(backend, data))
  return {
    ...pick(data, [
      'name',
      'description',
      'version',
      'category',
      'confirm',
      'confirmMessage',
      'deferred',
      'groups',
      'fallback',
      'metadata',
    ]),
    namespace: data['namespace'] ?? 'local',
    ...readParameters(data),
    ...readPermissions(data),
    ...pick(data, ['effects']),
    ...readLimits(data),
    ...readTimeout(data),
    ...readRetry(data),
    ...readHealthCheck(data['healthCheck']),
    backend,
    // Every field was looked at above.
  } as ToolDefinition
}

const blocks = [
  'permissions',
  'effects',
  'limits',
  'rateLimit',
  'retry',
  'retryPolicy',
  'healthCheck',
]

/** A key in both spellings, on every level whose keys a definition knows: one of the two would be lost. */
function spelledTwice(item: Data): Misfit | undefined {
  const inputs = item['inputs']
  const levels: (readonly [path: Misfit['path'], level: unknown])[] = [
    [[], item],
    ...Object.entries(item).flatMap(([key, part]) =>
      blocks.includes(camelCase(key)) || key === 'backend' ? [[[key], part] as const] : [],
    ),
    ...(Array.isArray(inputs) ? inputs : []).flatMap((input: unknown, index) => [
      [['inputs', index], input] as const,
      [['inputs', index, 'validation'], (input as Data | null)?.['validation']] as const,
    ]),
  ]
  for (const [path, level] of levels) {
    const misfit = isRecord(level) ? writtenTwice(level) : undefined
    if (misfit !== undefined) return { ...misfit, path: [...path, ...misfit.path] }
  }
  return undefined
}

/** The keys that a definition knows in camelCase, on every level of it. */
function plainKeys(item: Data): Data {
  const data: Record<string, unknown> = { ...camelKeys(item) }
  for (const key of blocks) if (isRecord(data[key])) data[key] = camelKeys(data[key])
  if (Array.isArray(data['inputs'])) data['inputs'] = data['inputs'].map(plainInput)
  return data
}

function plainInput(given: unknown): unknown {
  if (!isRecord(given)) return given
  const input = camelKeys(given)
  const { validation } = input
  return isRecord(validation) ? { ...input, validation: camelKeys(validation) } : input
}

function readParameters(data: Data): Data {
  const { parameters = { type: 'object' }, inputs, outputs } = data
  return {
    parameters: inputs === undefined ? parameters : inputsToSchema(inputs as readonly Input[]),
    ...(outputs === undefined
      ? {}
      : { outputs: Array.isArray(outputs) ? outputsToSchema(outputs) : outputs }),
  }
}

function readPermissions({ permissions, metadata }: Data): Data {
  const given = permissions as Data | undefined
  const tags = given?.['tags'] ?? (metadata as Data | undefined)?.['tags']
  if (given === undefined && tags === undefined) return {}
  return { permissions: { ...given, ...(tags === undefined ? {} : { tags }) } }
}

function readLimits(data: Data): Data {
  const limits = (data['limits'] ?? data['rateLimit']) as Data | undefined
  if (limits === undefined) return {}
  const twins = {
    perMinute: limits['perMinute'] ?? limits['maxCallsPerMinute'],
    perHour: limits['perHour'] ?? limits['maxCallsPerHour'],
    burst: limits['burst'] ?? limits['burstAllowance'],
    concurrency: limits['concurrency'],
  }
  return { limits: pick(twins, Object.keys(twins)) }
}

/** `timeout` and `timeout_seconds` are seconds. */
function readTimeout(data: Data): Data {
  if (data['timeoutMs'] !== undefined) return { timeoutMs: data['timeoutMs'] }
  const seconds = data['timeoutSeconds'] ?? data['timeout']
  return seconds === undefined ? {} : { timeoutMs: (seconds as number) * 1000 }
}

function readRetry(data: Data): Data {
  const retry = (data['retry'] ?? data['retryPolicy']) as Data | undefined
  if (retry === undefined) return {}
  const retryable = (retry['retryable'] ?? retry['retryableErrors']) as string[] | undefined
  return {
    retry: {
      maxRetries: retry['maxRetries'] ?? 0,
      backoff: retry['backoff'] ?? retry['backoffStrategy'] ?? 'exponential',
      initialDelayMs: retry['initialDelayMs'] ?? 1000,
      ...(retryable === undefined ? {} : { retryable: retryable.map(codeNamed) }),
    },
  }
}

function readHealthCheck(given: unknown): Data {
  const check = given as Data | undefined
  if (check === undefined || check['enabled'] === false) return {}
  const ms = (name: string, fallback: number): unknown =>
    check[`${name}Ms`] ?? ((check[`${name}Seconds`] ?? fallback) as number) * 1000
  return {
    healthCheck: {
      intervalMs: ms('interval', 60),
      timeoutMs: ms('timeout', 5),
      unhealthyThreshold: check['unhealthyThreshold'] ?? 3,
    },
  }
}

/** `adapter: cli` beside the block's keys, or a `backend` with `type`; the article's `MCPAdapter` is what `type` says. */
function readBackend(data: Data, where: string): ToolDefinition['backend'] {
  const block = isRecord(data['backend']) ? camelKeys(data['backend']) : {}
  const { type, adapter: named, ...rest } = block
  const adapter = type === undefined || type === 'custom' ? (data['adapter'] ?? named) : type
  if (typeof adapter !== 'string') {
    throw refusal(`${where}/adapter`, adapter, 'the name of an adapter, such as cli or http')
  }
  const beside = Object.entries(data).filter(([key]) => !ownKeys.has(key))
  return { ...Object.fromEntries(beside), ...rest, adapter }
}

/** The keys of the block stand in `backend`, or beside it. */
function compositeMisfit(backend: Data, data: Data): Misfit | undefined {
  const misfit = compositeBlock(backend)
  if (misfit === undefined || !isRecord(data['backend'])) return misfit
  const { path } = misfit
  return data[path[0]!] === undefined ? { ...misfit, path: ['backend', ...path] } : misfit
}

function refusal(where: string, got: unknown, fits: string): InvalidToolError {
  return new InvalidToolError({
    rule: 'tool-data',
    where,
    message: `A declared tool is refused: ${where || 'it'} is ${shown(got, true)}; expected ${fits}.`,
  })
}

/** @throws InvalidToolError where there is a misfit. */
function refuseMisfit(where: string, item: Data, misfit: Misfit | undefined): void {
  if (misfit === undefined) return
  const { path, got, fits, hint } = misfit
  const place = `${where}${pointer(pathAsWritten(item, path))}`
  throw new InvalidToolError({
    rule: 'tool-data',
    where: place,
    message: `A declared tool is refused: ${place} is ${got}; expected ${fits}.`,
    hint: hint ?? 'Correct the field, or leave it out.',
  })
}
