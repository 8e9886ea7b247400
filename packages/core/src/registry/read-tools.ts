import { InvalidToolError, type ToolDefinition } from '@callgate/spec'

import { camelCase, isRecord, pick, type Data } from './read-data.ts'
import { inputsToSchema, outputsToSchema } from './read-inputs.ts'

/**
 * Reads tools declared as data (R5.2, R5.3): both notations of the articles and their twins, in snake_case or
 * camelCase. Takes what a YAML or JSON file holds: `{ tools: [...] }`, `{ tool: {...} }`, a list, or one tool.
 *
 * @throws InvalidToolError naming the tool, the key and what fits there.
 */
export function readTools(document: unknown): readonly ToolDefinition[] {
  if (Array.isArray(document)) return document.map((item, index) => readTool(item, `/${index}`))
  if (!isRecord(document)) throw refusal('', document, 'a tool, or a list of tools')
  if (Array.isArray(document['tools'])) {
    return document['tools'].map((item, index) => readTool(item, `/tools/${index}`))
  }
  return 'tool' in document ? [readTool(document['tool'], '/tool')] : [readTool(document, '')]
}

/** What a definition itself knows; every other key belongs to the block of its adapter. */
const ownKeys: ReadonlySet<string> = new Set([
  'namespace',
  'name',
  'description',
  'version',
  'category',
  'parameters',
  'inputs',
  'outputs',
  'returns',
  'permissions',
  'confirm',
  'confirmMessage',
  'effects',
  'limits',
  'rateLimit',
  'timeout',
  'timeoutSeconds',
  'timeoutMs',
  'retry',
  'retryPolicy',
  'healthCheck',
  'fallback',
  'deferred',
  'groups',
  'metadata',
  'adapter',
  'backend',
])

function readTool(item: unknown, where: string): ToolDefinition {
  if (!isRecord(item)) throw refusal(where, item, 'a tool: an object with name and description')
  const data = camelKeys(item)
  const text = (key: string): string => {
    const value = data[key]
    if (typeof value === 'string') return value
    throw refusal(`${where}/${key}`, value, 'text')
  }
  return {
    namespace: data['namespace'] === undefined ? 'local' : text('namespace'),
    name: text('name'),
    description: text('description'),
    ...pick(data, [
      'version',
      'category',
      'confirm',
      'confirmMessage',
      'deferred',
      'groups',
      'fallback',
      'metadata',
    ]),
    ...readParameters(data, where),
    ...readPermissions(data),
    ...readEffects(data['effects']),
    ...readLimits(data),
    ...readTimeout(data),
    ...readRetry(data),
    ...readHealthCheck(data['healthCheck']),
    backend: readBackend(data, where),
  }
}

function readParameters(data: Data, where: string): Pick<ToolDefinition, 'parameters' | 'outputs'> {
  const { parameters, inputs, outputs } = data
  const shape = Array.isArray(outputs) ? outputsToSchema(outputs) : outputs
  return {
    parameters: (Array.isArray(inputs)
      ? inputsToSchema(inputs, `${where}/inputs`)
      : (parameters ?? { type: 'object' })) as ToolDefinition['parameters'],
    ...(isRecord(shape) ? { outputs: shape } : {}),
  }
}

function readPermissions(data: Data): Pick<ToolDefinition, 'permissions'> {
  const given = isRecord(data['permissions']) ? camelKeys(data['permissions']) : {}
  const metadata = isRecord(data['metadata']) ? data['metadata'] : {}
  const tags = given['tags'] ?? metadata['tags']
  const permissions = {
    ...pick(given, ['requiredRoles', 'deniedRoles', 'riskLevel', 'requiresApproval']),
    ...(tags === undefined ? {} : { tags }),
  }
  return Object.keys(permissions).length === 0
    ? {}
    : { permissions: permissions as NonNullable<ToolDefinition['permissions']> }
}

function readEffects(given: unknown): Pick<ToolDefinition, 'effects'> {
  if (!isRecord(given)) return {}
  return {
    effects: pick(camelKeys(given), ['readOnly', 'idempotent', 'destructive', 'concurrency']),
  }
}

function readLimits(data: Data): Pick<ToolDefinition, 'limits'> {
  const given = data['limits'] ?? data['rateLimit']
  if (!isRecord(given)) return {}
  const limits = camelKeys(given)
  const twins = {
    perMinute: limits['perMinute'] ?? limits['maxCallsPerMinute'],
    perHour: limits['perHour'] ?? limits['maxCallsPerHour'],
    burst: limits['burst'] ?? limits['burstAllowance'],
    concurrency: limits['concurrency'],
  }
  return { limits: pick(twins, Object.keys(twins)) }
}

/** `timeout` and `timeout_seconds` are seconds. */
function readTimeout(data: Data): Pick<ToolDefinition, 'timeoutMs'> {
  if (typeof data['timeoutMs'] === 'number') return { timeoutMs: data['timeoutMs'] }
  const seconds = data['timeoutSeconds'] ?? data['timeout']
  return typeof seconds === 'number' ? { timeoutMs: seconds * 1000 } : {}
}

/** The articles' own words for faults that can be tried again. */
const faultNames: { readonly [name: string]: string } = {
  TIMEOUT: 'timeout',
  CONNECTION_LOST: 'backend_unavailable',
  RATE_LIMITED: 'rate_limited',
}

function readRetry(data: Data): Pick<ToolDefinition, 'retry'> {
  const given = data['retry'] ?? data['retryPolicy']
  if (!isRecord(given)) return {}
  const retry = camelKeys(given)
  const retryable = retry['retryable'] ?? retry['retryableErrors']
  return {
    retry: {
      maxRetries: Number(retry['maxRetries'] ?? 0),
      backoff: (retry['backoff'] ?? retry['backoffStrategy'] ?? 'exponential') as 'exponential',
      initialDelayMs: Number(retry['initialDelayMs'] ?? 1000),
      ...(Array.isArray(retryable)
        ? {
            retryable: retryable.map(
              (name) => faultNames[String(name)] ?? String(name).toLowerCase(),
            ),
          }
        : {}),
    },
  }
}

function readHealthCheck(given: unknown): Pick<ToolDefinition, 'healthCheck'> {
  if (!isRecord(given) || given['enabled'] === false) return {}
  const check = camelKeys(given)
  const ms = (name: string, fallback: number): number =>
    Number(check[`${name}Ms`] ?? Number(check[`${name}Seconds`] ?? fallback) * 1000)
  return {
    healthCheck: {
      intervalMs: ms('interval', 60),
      timeoutMs: ms('timeout', 5),
      unhealthyThreshold: Number(check['unhealthyThreshold'] ?? 3),
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

/** Keys of one level in camelCase; what stands below (names of parameters, variables, headers) is left as it is. */
function camelKeys(data: Data): Data {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [camelCase(key), value]))
}

function refusal(where: string, got: unknown, fits: string): InvalidToolError {
  const shown = got === undefined ? 'missing' : (JSON.stringify(got) ?? typeof got).slice(0, 80)
  return new InvalidToolError({
    rule: 'tool-data',
    where,
    message: `A declared tool is refused: ${where || 'it'} is ${shown}; expected ${fits}.`,
  })
}
