import type { AdapterHost, JsonSchema } from '@callgate/spec'

import { isRecord, type JsonRecord } from '../record.ts'
import { cleanJson } from '../text/clean-json.ts'
import { cleanText } from '../text/clean.ts'
import type { Answerer } from './callbacks.ts'
import type { ElicitationHandler, ElicitationRequest } from './types.ts'
import { isOpenableUrl } from './url.ts'

/** Puts a server's question to the host's handler: cleaned, its address checked, the answer checked against its form. */
export function createElicitation(handler: ElicitationHandler, host: AdapterHost): Answerer {
  return async (server, params, signal) => {
    const request = requestOf(server, params, signal)
    if (request === undefined) {
      host.log.warn('mcp: refused a question with an address that must not be opened', { server })
      return { action: 'decline' }
    }
    const answer = await handler(request)
    if (answer.action !== 'accept') return { action: answer.action }
    if (request.mode === 'url') return { action: 'accept' }
    const content = { ...defaultsOf(request.schema), ...answer.content }
    const faults =
      request.schema === undefined ? [] : host.validator(request.schema as JsonSchema)(content)
    if (faults.length === 0) return { action: 'accept', content }
    host.log.warn('mcp: an answer does not fit the form', { server, path: faults[0]?.path })
    return { action: 'cancel' }
  }
}

function requestOf(
  server: string,
  params: JsonRecord,
  signal: AbortSignal,
): ElicitationRequest | undefined {
  const { mode, message, url, requestedSchema } = params
  const question = {
    server,
    message: typeof message === 'string' ? cleanText(message) : '',
    signal,
  }
  if (mode === 'url') return isOpenableUrl(url) ? { ...question, mode: 'url', url } : undefined
  const schema = isRecord(requestedSchema) ? (cleanJson(requestedSchema) as JsonRecord) : undefined
  return { ...question, mode: 'form', ...(schema === undefined ? {} : { schema }) }
}

function defaultsOf(schema: JsonRecord | undefined): JsonRecord {
  const properties = isRecord(schema?.['properties']) ? schema['properties'] : {}
  const entries = Object.entries(properties).flatMap(([name, property]) =>
    isRecord(property) && property['default'] !== undefined ? [[name, property['default']]] : [],
  )
  return Object.fromEntries(entries) as JsonRecord
}
