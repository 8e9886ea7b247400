import { FaultError, faultOf } from '../channel/fault.ts'
import { messageOf } from '../text/message-of.ts'
import type { Answer } from './answer.ts'
import type { Exchanger, ExchangeInit } from './exchange.ts'
import type { HttpParameters } from './parameters.ts'

/** A request is authorized anew at most this often; a server that still refuses means it. */
const maxAttempts = 4

/** One request with the configured headers and credentials, sent again when the authorizer has better ones. */
export async function sendAuthorized(
  exchanger: Exchanger,
  parameters: HttpParameters,
  url: URL,
  init: ExchangeInit,
): Promise<Answer> {
  const { authorizer } = parameters
  for (let attempt = 1; ; attempt += 1) {
    const request = { method: init.method, url }
    const credentials = await unsent(authorizer?.headers(request))
    const configured = await unsent(parameters.headers())
    // Not those of the message: what a caller gives comes back by right.
    parameters.credentials.learnHeaders({ ...configured, ...credentials })
    const headers = { ...configured, ...credentials, ...init.headers }
    const answer = await exchanger.send(url, { ...init, headers })
    const refused = answer.status === 401 || answer.status === 403
    if (!refused || authorizer === undefined || attempt === maxAttempts) return answer
    const authorization = credentials?.['authorization']
    if (!(await authorizer.refused(answer, { ...request, authorization }, init.signal)))
      return answer
    answer.discard()
  }
}

/** What fails before anything is sent: whatever it is, the call has not begun. */
async function unsent<T>(work: T | Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    const reason = messageOf(cause)
    throw new FaultError(faultOf(cause, { kind: 'unsent', reason, cause }), reason, { cause })
  }
}
