import type { HttpLimits } from '../src/index.ts'
import { declaredTool, testAdapter, testContext } from './host.ts'
import { serve } from './serve.ts'
import type { Answerer } from './server.ts'

/** What the adapter makes of an answer, and what it told meanwhile. */
export async function read(answer: Answerer, limits: HttpLimits = {}) {
  const server = await serve(answer)
  const { invoke } = testAdapter({ allow: ['127.0.0.1'], limits })
  const context = testContext()
  const output = await invoke(declaredTool({ url: `${server.origin}/` }), {}, context)
  return { output, context }
}

export const send =
  (type: string, body: string | Buffer, headers: Record<string, string> = {}): Answerer =>
  (_, response) => {
    response.writeHead(200, { ...(type === '' ? {} : { 'content-type': type }), ...headers })
    response.end(body)
  }
