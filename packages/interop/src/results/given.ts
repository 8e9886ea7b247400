import type { ToolResult } from '@callgate/spec'

import { isObject } from '../provider.ts'
import { shapeFault } from '../read/shape-fault.ts'

const statuses: readonly unknown[] = ['ok', 'error', 'denied', 'cancelled', 'pending']
const isText = (value: unknown): boolean => typeof value === 'string'

/** What is read of a result without another look, and what fits there. */
const members: readonly (readonly [
  name: string,
  fits: string,
  test: (value: unknown) => boolean,
])[] = [
  ['callId', 'text', isText],
  ['status', 'ok, error, denied, cancelled or pending', (value) => statuses.includes(value)],
  ['content', 'a list of parts', Array.isArray],
  ['metadata', 'an object', isObject],
  ['error', 'an error: {code, message}', isError],
]

/** @throws CallgateError `malformed_call`, rule `results-shape`, for what is no list of results. */
export function checkResults(results: unknown): asserts results is readonly ToolResult[] {
  const fault = (where: string, found: unknown, fits: string): Error =>
    shapeFault(where, found, fits, 'Hand over what dispatch or runTurn gave.', 'results')
  if (!Array.isArray(results)) throw fault('', results, 'a list')
  for (const [index, result] of results.entries()) {
    if (!isObject(result)) throw fault(`/${index}`, result, 'a result')
    for (const [name, fits, test] of members) {
      if (!test(result[name])) throw fault(`/${index}/${name}`, result[name], fits)
    }
  }
}

function isError(value: unknown): boolean {
  if (value === undefined) return true
  if (!isObject(value) || !isText(value['code']) || !isText(value['message'])) return false
  const { fields = [] } = value
  return Array.isArray(fields) && fields.every(isObject)
}
