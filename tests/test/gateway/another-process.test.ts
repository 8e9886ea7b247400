import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import type { ToolResult } from '@callgate/spec'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const program = new URL('../fixtures/approve-elsewhere.ts', import.meta.url).pathname
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'callgate-approve-'))
})
afterEach(() => rm(folder, { recursive: true }))

interface Ran {
  readonly pid: number
  readonly results: readonly ToolResult[]
}

async function run(...args: readonly string[]): Promise<Ran> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=@callgate/source',
    program,
    ...args,
  ])
  return JSON.parse(stdout) as Ran
}

describe('an approval that is given in another process', () => {
  it('runs there, once, exactly what was approved; its siblings have their results', async () => {
    const store = join(folder, 'pending.json')
    const first = await run(store)
    expect(first.results.map(({ callId, status }) => [callId, status])).toEqual([
      ['a', 'ok'],
      ['b', 'pending'],
      ['c', 'ok'],
    ])
    const { ticketId } = first.results[1]!.metadata
    const asked = Object.values(JSON.parse(await readFile(store, 'utf8')) as object)[0] as {
      arguments: unknown
    }
    const second = await run(store, ticketId!)
    expect(second.pid).not.toBe(first.pid)
    expect(second.results).toMatchObject([
      { callId: 'b', status: 'ok', data: { by: second.pid, args: asked.arguments } },
    ])
    const third = await run(store, ticketId!)
    expect(third.results[0]?.error?.code).toBe('approval_expired')
  })

  it('does not run when the file was changed meanwhile', async () => {
    const store = join(folder, 'pending.json')
    const { results } = await run(store)
    const { ticketId } = results[1]!.metadata
    await writeFile(store, (await readFile(store, 'utf8')).replaceAll('文', '武'))
    const resumed = await run(store, ticketId!)
    expect(resumed.results[0]?.error).toMatchObject({ code: 'approval_denied', rule: 'ticket' })
  })
})
