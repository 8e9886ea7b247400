import { readdirSync, readFileSync } from 'node:fs'

import { cliAdapter, type CliResult } from '@callgate/adapter-cli'
import { createGateway } from '@callgate/core'
import { describe, expect, it } from 'vitest'

const GiB = 1024 ** 3
const MiB = 1024 ** 2
const bytes = process.env['CI'] ? 10 * GiB : GiB / 2

/** Bytes that the children of this process have held at most. */
function mostOfChildren(): number {
  const statuses = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statusOf)
    .filter((status) => status.includes(`\nPPid:\t${process.pid}\n`))
  return Math.max(
    0,
    ...statuses.map((status) => Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1]) * 1024),
  )
}

function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}

describe.runIf(process.platform === 'linux')('an output of many gigabytes', () => {
  it('takes no more memory than its blob', { timeout: 600_000 }, async () => {
    const gateway = createGateway({
      adapters: [cliAdapter({ spill: { maxBytes: 64 * MiB } })],
      policy: { resultCapBytes: 16 * MiB },
      tools: [
        {
          namespace: 'local',
          name: 'flood',
          description: 'Writes many bytes.',
          parameters: { type: 'object', properties: {} },
          timeoutMs: 590_000,
          backend: {
            adapter: 'cli',
            command: 'head',
            argsTemplate: ['-c', `${bytes}`, '/dev/zero'],
            maxOutputBytes: bytes,
          },
        },
      ],
    })
    await gateway.start()
    const before = process.memoryUsage().rss
    let most = before
    const timer = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss)
    }, 20)
    try {
      const result = await gateway.dispatch({ name: 'flood', arguments: {} })
      const { exitCode, stdout } = result.data as CliResult
      expect({ status: result.status, exitCode }).toEqual({ status: 'ok', exitCode: 0 })
      expect(stdout.length).toBeLessThan(MiB)
      expect(stdout).toMatch(/left out; its first 67108864 bytes are blob \S+ …\]/)
      console.log(
        `${bytes / GiB} GiB of output: ${Math.round((most - before) / MiB)} MiB more here, ` +
          `${Math.round(mostOfChildren() / MiB)} MiB at most in the process that starts programs`,
      )
      expect(most - before).toBeLessThan(250 * MiB)
      expect(mostOfChildren()).toBeLessThan(200 * MiB)
    } finally {
      clearInterval(timer)
      await gateway.close()
    }
  })
})
