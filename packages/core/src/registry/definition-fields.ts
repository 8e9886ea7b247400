import type { ToolDefinition, ToolEffects } from '@callgate/spec'

import {
  callable,
  count,
  countFromZero,
  duration,
  flag,
  leaf,
  object,
  text,
  type Check,
} from '../checks/check.ts'
import { listOf, oneOf, shape } from '../checks/shapes.ts'
import { compositeBlock } from './composite-block.ts'
import { codeList } from './fault-names.ts'

type Fields<T> = { readonly [K in keyof Required<T>]: Check }
type Block<K extends keyof ToolDefinition> = NonNullable<ToolDefinition[K]>

export const texts: Check = listOf(text, 'a list of texts')

const wait: Check = leaf(
  'milliseconds: a number of at least 0',
  (value) => typeof value === 'number' && value >= 0 && value < Infinity,
)

/** Whether it is a right one is looked at when it is compiled. */
export const schema: Check = leaf(
  'a JSON Schema: an object, true or false',
  (value) => typeof value === 'boolean' || object(value) === undefined,
)

export const permissionFields: Fields<Block<'permissions'>> = {
  tags: texts,
  requiredRoles: texts,
  deniedRoles: texts,
  riskLevel: oneOf('low', 'medium', 'high', 'critical'),
  requiresApproval: flag,
}

export const effectFields: Fields<Omit<ToolEffects, 'resources'>> = {
  readOnly: flag,
  idempotent: flag,
  destructive: flag,
  polls: flag,
  concurrency: oneOf('parallel', 'exclusive'),
}

export const limitFields: Fields<Block<'limits'>> = {
  perMinute: count,
  perHour: count,
  burst: count,
  concurrency: count,
}

export const retryFields: Fields<Block<'retry'>> = {
  maxRetries: countFromZero,
  backoff: oneOf('fixed', 'linear', 'exponential'),
  initialDelayMs: wait,
  retryable: codeList,
}

export const healthCheckFields: Fields<Block<'healthCheck'>> = {
  intervalMs: duration,
  timeoutMs: duration,
  unhealthyThreshold: count,
}

type Plain =
  | 'version'
  | 'category'
  | 'confirm'
  | 'confirmMessage'
  | 'timeoutMs'
  | 'fallback'
  | 'deferred'
  | 'groups'
  | 'metadata'

/** What the two notations and a definition in code share, field by field. */
export const plainFields: Fields<Pick<ToolDefinition, Plain>> = {
  version: text,
  category: text,
  confirm: flag,
  confirmMessage: text,
  timeoutMs: duration,
  fallback: texts,
  deferred: flag,
  groups: texts,
  metadata: object,
}

/** A whole definition as the registry keeps it (R5.1). */
export const definition: Check = shape(
  {
    ...plainFields,
    namespace: text,
    name: text,
    description: text,
    parameters: schema,
    outputs: schema,
    backend: (value) => object(value) ?? compositeBlock(value),
    permissions: shape(permissionFields),
    effects: shape({ ...effectFields, resources: callable }),
    limits: shape(limitFields),
    retry: shape(retryFields, ['maxRetries', 'backoff', 'initialDelayMs']),
    healthCheck: shape(healthCheckFields, ['intervalMs', 'timeoutMs', 'unhealthyThreshold']),
  } satisfies Fields<ToolDefinition>,
  ['namespace', 'name', 'description', 'parameters'],
)
