import type { AdapterHost, JsonSchema } from '@callgate/spec'

import type { McpOptions } from '../options.ts'
import { isRecord, type JsonRecord } from '../record.ts'
import { cleanText } from '../text/clean.ts'
import type { ElicitationAnswer } from './types.ts'
import { isOpenableUrl } from './url.ts'

/** Answers what servers ask of their client; the same for both eras of the protocol. */
export interface Callbacks {
  readonly has: {
    readonly elicitation: boolean
    readonly sampling: boolean
    readonly roots: boolean
  }
  /** Rejects for a method that the host gave no handler for. */
  answer(
    server: string,
    method: string,
    params: JsonRecord,
    signal: AbortSignal,
  ): Promise<JsonRecord>
}

const samplingPerMinute = 30

export function createCallbacks(options: McpOptions, host: AdapterHost): Callbacks {
  const { elicitation, sampling, roots } = options
  const recent: number[] = []

  async function elicit(
    server: string,
    params: JsonRecord,
    signal: AbortSignal,
  ): Promise<ElicitationAnswer> {
    if (elicitation === undefined) throw new Error('No user can be asked here.')
    const mode = params['mode'] === 'url' ? 'url' : 'form'
    const { url, requestedSchema } = params
    if (mode === 'url' && !isOpenableUrl(url)) {
      host.log.warn('mcp: refused a question with an address that must not be opened', { server })
      return { action: 'decline' }
    }
    const schema = isRecord(requestedSchema) ? requestedSchema : undefined
    const answer = await elicitation({
      server,
      mode,
      message: cleanText(String(params['message'] ?? '')),
      signal,
      ...(schema === undefined ? {} : { schema }),
      ...(mode === 'url' ? { url: String(url) } : {}),
    })
    if (answer.action !== 'accept') return { action: answer.action }
    return mode === 'url' ? { action: 'accept' } : checkedForm(server, answer.content ?? {}, schema)
  }

  function checkedForm(
    server: string,
    content: JsonRecord,
    schema: JsonRecord | undefined,
  ): ElicitationAnswer {
    const filled = { ...defaultsOf(schema), ...content }
    const [fault] = schema === undefined ? [] : host.validator(schema as JsonSchema)(filled)
    if (fault === undefined) return { action: 'accept', content: filled }
    host.log.warn('mcp: an answer does not fit the form', { server, path: fault.path })
    return { action: 'cancel' }
  }

  async function sample(
    server: string,
    params: JsonRecord,
    signal: AbortSignal,
  ): Promise<JsonRecord> {
    if (sampling === undefined) throw new Error('No model can be asked here.')
    const now = Date.now()
    while (recent[0] !== undefined && now - recent[0] > 60_000) recent.shift()
    // A server in a loop must not spend the host's tokens.
    if (recent.length >= samplingPerMinute) throw new Error('Too many completions were asked for.')
    recent.push(now)
    return sampling({ server, params, signal })
  }

  return {
    has: {
      elicitation: elicitation !== undefined,
      sampling: sampling !== undefined,
      roots: roots !== undefined,
    },
    answer: async (server, method, params, signal) => {
      if (method === 'elicitation/create') return { ...(await elicit(server, params, signal)) }
      if (method === 'sampling/createMessage') return sample(server, params, signal)
      if (method === 'roots/list' && roots !== undefined) return { roots }
      throw new Error(`The client does not answer ${method}.`)
    },
  }
}

function defaultsOf(schema: JsonRecord | undefined): JsonRecord {
  const properties = isRecord(schema?.['properties']) ? schema['properties'] : {}
  const entries = Object.entries(properties).flatMap(([name, property]) =>
    isRecord(property) && property['default'] !== undefined ? [[name, property['default']]] : [],
  )
  return Object.fromEntries(entries) as JsonRecord
}
