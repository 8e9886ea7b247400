import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import { describe, expect, it, onTestFinished } from 'vitest'

import { hasMembers } from '../src/mcp/process-groups.ts'

const host = fileURLToPath(new URL('fixtures/signalled-host.ts', import.meta.url))

/** Each package ends what it started when the host ends, by listeners that must not take each other for the host's. */
describe.skipIf(process.platform === 'win32')(
  'a host without a handler of its own, with programs and MCP servers',
  () => {
    it.each([
      ['SIGTERM', 'with a runner'],
      ['SIGTERM', 'without a runner'],
      ['SIGINT', 'without a runner'],
      ['SIGHUP', 'without a runner'],
    ] as const)('is ended by %s %s, and leaves nothing behind', async (signal, runner) => {
      const folder = mkdtempSync(path.join(tmpdir(), 'callgate-signals-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      const child = spawn(
        process.execPath,
        ['--conditions=@callgate/source', host, runner, folder],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      )
      onTestFinished(() => void child.kill('SIGKILL'))
      const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
      const groups = JSON.parse(line) as readonly number[]
      expect(groups.length).toBeGreaterThan(0)
      const exit = once(child, 'exit')
      child.kill(signal)
      expect((await exit)[1]).toBe(signal)
      await expect.poll(() => groups.filter(hasMembers), { timeout: 10_000 }).toEqual([])
    })
  },
)
