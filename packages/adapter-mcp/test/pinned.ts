import { onTestFinished } from 'vitest'

import type { McpOptions } from '../src/index.ts'
import { type FakeHttp, startFakeHttp } from './fixtures/fake-http.ts'
import { type Running, start, stubHost } from './host.ts'

/** A tool. */
export const echo = { name: 'echo', description: 'Echoes', inputSchema: { type: 'object' } }

/** A fake server with these tools; it ends with the test. */
export async function fakeWith(...tools: object[]): Promise<FakeHttp> {
  const fake = await startFakeHttp()
  onTestFinished(() => fake.close())
  fake.tools = tools as FakeHttp['tools']
  return fake
}

/** An adapter that runs; it ends with the test. */
export async function running(options: McpOptions, host = stubHost()): Promise<Running> {
  const made = await start(options, host)
  onTestFinished(() => made.adapter.stop?.({ graceMs: 100 }))
  return made
}

/** The names of the tools that it offers. */
export const namesOf = async ({ tools }: Running): Promise<string[]> =>
  (await tools()).map(({ name }) => name)
