import { anything, count, duration, flag, leaf, object, text, type Check } from '../checks/check.ts'
import { listOf, oneOf, parts, shape } from '../checks/shapes.ts'
import {
  effectFields,
  healthCheckFields,
  limitFields,
  permissionFields,
  plainFields,
  retryFields,
  schema,
  texts,
} from './definition-fields.ts'
import { faultList } from './fault-names.ts'
import { editDistance, fold } from './near-names.ts'

const seconds: Check = leaf(
  'seconds: a number over 0',
  (value) => typeof value === 'number' && duration(value * 1000) === undefined,
)

const range: Check = leaf(
  'a list of two numbers, the least and the most',
  (value) =>
    Array.isArray(value) &&
    value.length === 2 &&
    value.every((part) => Number.isFinite(part)) &&
    value[0] <= value[1],
)

const input: Check = shape(
  {
    name: text,
    type: anything,
    description: text,
    required: flag,
    default: anything,
    items: anything,
    properties: anything,
    allowedValues: listOf(anything),
    range,
    validation: shape({
      pattern: text,
      forbiddenPatterns: texts,
      minLength: leaf('a number', Number.isFinite),
      maxLength: leaf('a number', Number.isFinite),
    }),
  },
  ['name'],
)

const limits: Check = shape({
  ...limitFields,
  maxCallsPerMinute: limitFields.perMinute,
  maxCallsPerHour: limitFields.perHour,
  burstAllowance: limitFields.burst,
})

const retry: Check = shape({
  ...retryFields,
  retryable: faultList,
  backoffStrategy: oneOf('fixed', 'linear', 'exponential'),
  retryableErrors: faultList,
})

const healthCheck: Check = shape({
  ...healthCheckFields,
  enabled: flag,
  intervalSeconds: seconds,
  timeoutSeconds: seconds,
  unhealthyThreshold: count,
})

/** The fields of a declared tool in camelCase, of both notations (R5.3). What else stands there is its adapter's. */
const fields: { readonly [key: string]: Check } = {
  ...plainFields,
  namespace: text,
  name: text,
  description: text,
  parameters: schema,
  inputs: listOf(input, 'a list of inputs'),
  outputs: (value) => (Array.isArray(value) ? undefined : schema(value)),
  returns: anything,
  permissions: shape(permissionFields),
  effects: shape(effectFields),
  limits,
  rateLimit: limits,
  timeout: seconds,
  timeoutSeconds: seconds,
  retry,
  retryPolicy: retry,
  metadata: parts({ tags: texts }, []),
  healthCheck,
  adapter: text,
  backend: object,
}

/** What a definition itself knows; every other key belongs to the block of its adapter. */
export const ownKeys: ReadonlySet<string> = new Set(Object.keys(fields))

const known: Check = parts(fields, ['name', 'description'])

/** Names that no block of an adapter has, so that a key one letter off is a slip. */
const switches = ['confirm', 'confirmMessage', 'permissions', 'effects', 'rateLimit', 'retryPolicy']
const ofPermissions: ReadonlySet<string> = new Set([
  'requiredRoles',
  'deniedRoles',
  'riskLevel',
  'requiresApproval',
])

/** Looks at a declared tool whose keys are in camelCase: a switch that is misspelt or misplaced would be off. */
export const declaredTool: Check = (tool) => {
  const misfit = known(tool)
  if (misfit !== undefined) return misfit
  for (const key of Object.keys(tool as object)) {
    const hint = ownKeys.has(key) ? undefined : slipOf(key)
    if (hint !== undefined) return { path: [key], got: 'unknown', fits: 'a field of a tool', hint }
  }
  return undefined
}

function slipOf(key: string): string | undefined {
  if (ofPermissions.has(key)) return 'Put it into permissions.'
  const plain = fold(key)
  const meant =
    [...ownKeys].find((own) => fold(own) === plain) ??
    switches.find((own) => editDistance(fold(own), plain) <= 1)
  return meant === undefined ? undefined : `Did you mean "${meant}"?`
}
