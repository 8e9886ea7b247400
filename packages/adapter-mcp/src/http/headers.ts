import { Buffer } from 'node:buffer'

import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/client'

import { isRecord, type JsonRecord } from '../record.ts'

/** Where the `Mcp-Name` header of revision 2026-07-28 takes its value from. */
const nameSource: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

/** Whether a message is of revision 2026-07-28: each says so itself. */
export function isModern({ params }: JsonRecord): boolean {
  const meta = isRecord(params) ? params['_meta'] : undefined
  return isRecord(meta) && meta[PROTOCOL_VERSION_META_KEY] !== undefined
}

/** Headers that mirror a message of revision 2026-07-28 (SEP-2243); none for an older one. */
export function mirroredHeaders(message: JsonRecord): Record<string, string> {
  const params = isRecord(message['params']) ? message['params'] : {}
  const meta = isRecord(params['_meta']) ? params['_meta'] : {}
  const version = meta[PROTOCOL_VERSION_META_KEY]
  const { method } = message
  if (typeof version !== 'string' || typeof method !== 'string' || !('id' in message)) return {}
  const source = nameSource[method]
  const name = source === undefined ? undefined : params[source]
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': encodeHeaderValue(name) } : {}),
  }
}

/** A text as a field value: as it is where that is safe, else base64 between the marks of the protocol. */
export function encodeHeaderValue(text: string): string {
  const safe = text !== '' && text === text.trim() && /^[\t\u0020-\u007E]*$/.test(text)
  const marked = text.startsWith('=?base64?') && text.endsWith('?=')
  return safe && !marked ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`
}

/** The name of the first header whose value cannot be sent. */
export function unsendable(headers: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(headers).find(([name, value]) => {
    return !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || !/^[\t\u0020-\u007E]*$/.test(value)
  })?.[0]
}
