import { onTestFinished } from 'vitest'

import { startServer, type Answerer, type TestServer } from './server.ts'

/** A server that is there until the test is finished. */
export async function serve(answer?: Answerer): Promise<TestServer> {
  const server = await startServer(answer)
  onTestFinished(() => server.close())
  return server
}
