import { describe, expect, it } from 'vitest'

import { withFake } from './fake.ts'
import { callOf, contextOf, type Running, until } from './host.ts'

async function research({ adapter, host, tools }: Running, signal?: AbortSignal) {
  const [tool] = await tools()
  const notes: (string | undefined)[] = []
  const output = await adapter.invoke(callOf(tool!, {}), {
    ...contextOf(host),
    ...(signal === undefined ? {} : { signal }),
    progress: ({ note }) => notes.push(note),
  })
  return { output, notes }
}

describe('a tool that runs only as a task (tasks-required)', () => {
  it('is polled, may ask the user, and gives its result as any tool', async () => {
    const running = await withFake(
      'task',
      {},
      { elicitation: () => ({ action: 'accept', content: {} }) },
    )
    const { output, notes } = await research(running)
    expect(output.data).toBe('{"action":"accept","content":{}}')
    expect(notes).toEqual(['poll 0', 'poll 1', 'poll 2'])
  })

  it('is cancelled at the server when the caller stops', async () => {
    const running = await withFake('task', {}, { file: 'endless' })
    const stop = new AbortController()
    const ended = research(running, stop.signal).catch((error: unknown) => error)
    await until(async () => String((await running.call('s.seen')).data).includes('tasks/get'))
    stop.abort()
    expect(await ended).toMatchObject({ code: 'cancelled', started: 'unknown' })
    await until(async () => (await running.call('s.status')).data === 'cancelled')
  })

  it('ends at the total limit of its server', async () => {
    const running = await withFake(
      'task',
      { timeoutMs: 200, totalTimeoutMs: 300 },
      { file: 'endless' },
    )
    expect(await research(running).catch((error: unknown) => error)).toMatchObject({
      code: 'timeout',
      rule: 'total-timeout',
    })
  })
})
