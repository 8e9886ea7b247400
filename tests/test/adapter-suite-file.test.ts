import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { fileAdapter } from '@callgate/adapter-file'
import { createGateway, planTurn } from '@callgate/core'
import { adapterSuite } from '@callgate/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let folder: string
let root: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'callgate-suite-'))
  root = join(folder, 'root')
  mkdirSync(root)
  for (const name of ['a', 'b', 'c']) writeFileSync(join(root, name), `text of ${name}`)
  writeFileSync(join(root, 'large'), 'a line of a large file\n'.repeat(200_000))
  // Its first line goes on for 400 GB, which takes no room and a long time.
  writeFileSync(join(root, 'endless'), 'x'.repeat(10_000))
  truncateSync(join(root, 'endless'), 400_000_000_000)
})
afterAll(() => rmSync(folder, { recursive: true }))

const workspace = () => ({ roots: { workspace: { path: root, write: true } } })

describe('the adapter for files keeps the contract', () => {
  const read = (path: string): { tool: string; arguments: object; expect: object } => ({
    tool: 'read',
    arguments: { path },
    expect: { text: `text of ${path}` },
  })
  adapterSuite(it, async () => fileAdapter(workspace()), {
    fixtures: {
      ok: { ...read('a'), arguments: { path: 'a' } },
      fails: {
        tool: 'read',
        arguments: { path: 'no-such' },
        expect: { code: 'tool_failed', rule: 'not-found', started: 'no' },
      },
      slow: { tool: 'read', arguments: { path: 'endless', line: 2 } },
      large: { tool: 'read', arguments: { path: 'large', lines: 200_000 } },
      concurrent: ['a', 'b', 'c'].map((path) => ({ ...read(path), arguments: { path } })),
    },
  })
})

describe('calls of one turn on files', () => {
  it('run at the same time where they concern different files, or only read', async () => {
    const gateway = createGateway({ adapters: [fileAdapter(workspace())] })
    await gateway.start()
    const call = (name: string, args: object): { tool: never; arguments: object } => ({
      tool: gateway.registry.get(`file::${name}`) as never,
      arguments: args,
    })
    const plan = planTurn([
      call('read', { path: 'a' }),
      call('read', { path: 'a' }),
      call('write', { path: 'b', content: '' }),
      call('list', { path: '.' }),
      call('read', { path: 'b' }),
    ])
    await gateway.close()
    expect(plan).toEqual([
      ['parallel', [0, 1, 2]],
      ['parallel', [3, 4]],
    ])
  })

  it('are answered in order', async () => {
    const gateway = createGateway({ adapters: [fileAdapter(workspace())] })
    await gateway.start()
    const { results } = await gateway.runTurn({
      toolCalls: ['a', 'b', 'c', 'a'].map((path, index) => ({
        id: `call-${index}`,
        name: 'file__read',
        arguments: JSON.stringify({ path }),
      })),
    })
    await gateway.close()
    expect(results.map(({ data }) => (data as { readonly text: string }).text)).toEqual([
      'text of a',
      'text of b',
      'text of c',
      'text of a',
    ])
  })
})
