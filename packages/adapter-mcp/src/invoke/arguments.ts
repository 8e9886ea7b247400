import { ToolError } from '@callgate/spec'

import { isRecord, type JsonRecord } from '../record.ts'

/** Arguments are an object or nothing; anything else must not reach a server. */
export function argumentsOf(value: unknown): JsonRecord {
  if (value === undefined || value === null || value === '') return {}
  if (isRecord(value)) return value
  throw new ToolError({
    code: 'invalid_arguments',
    message: 'The arguments of an MCP tool are an object.',
    rule: 'arguments-object',
    started: 'no',
  })
}
