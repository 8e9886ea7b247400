import type { Answer, Exchanger, ExchangeInit } from './exchange.ts'
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
    const credentials = await authorizer?.headers(request)
    const headers = { ...(await parameters.headers()), ...credentials, ...init.headers }
    const answer = await exchanger.send(url, { ...init, headers })
    const refused = answer.status === 401 || answer.status === 403
    if (!refused || authorizer === undefined || attempt === maxAttempts) return answer
    const authorization = credentials?.['authorization']
    if (!(await authorizer.refused(answer, { ...request, authorization }, init.signal)))
      return answer
    answer.body.resume()
  }
}
