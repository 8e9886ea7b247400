import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { cliAdapter } from '@callgate/adapter-cli'
import { httpAdapter } from '@callgate/adapter-http'
import { mcpAdapter } from '@callgate/adapter-mcp'
import { createGateway } from '@callgate/core'
import { describe, expect, it } from 'vitest'

import { everythingOverStdio } from '../src/vectors/everything-server.ts'

const timeoutMs = 1500
const marker = `callgate-hang-${process.pid}`

/** Whether any process has this text among its arguments. */
async function isRunning(text: string): Promise<boolean> {
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const command = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '')
    if (command.includes(text)) return true
  }
  return false
}

describe.skipIf(process.platform !== 'linux')(
  'a turn with three entries on three backends (processes are looked up in /proc)',
  () => {
    it('gives three results in order, in the time of the limit, and leaves no process behind, when one hangs, one fails and one works', async () => {
      const server = createServer((_, response) => void response.writeHead(500).end('broken'))
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as AddressInfo
      const gateway = createGateway({
        tools: [
          {
            namespace: 'local',
            name: 'hang',
            description: 'Never ends.',
            parameters: { type: 'object' },
            timeoutMs,
            effects: { readOnly: true },
            backend: {
              adapter: 'cli',
              command: process.execPath,
              argsTemplate: ['-e', 'setInterval(() => {}, 1000)', marker],
            },
          },
          {
            namespace: 'http',
            name: 'fail',
            description: 'Always fails.',
            parameters: { type: 'object' },
            effects: { readOnly: true },
            backend: {
              adapter: 'http',
              method: 'GET',
              url: `http://127.0.0.1:${port}/x`,
              allow: ['127.0.0.1'],
              ports: [port],
            },
          },
        ],
        adapters: [
          cliAdapter({}),
          httpAdapter({}),
          mcpAdapter({ servers: { everything: { ...everythingOverStdio, trust: true } } }),
        ],
      })
      await gateway.start()
      try {
        const calls = [
          { name: 'hang', arguments: {} },
          { name: 'http__fail', arguments: {} },
          { name: 'mcp__everything__echo', arguments: { message: 'still here' } },
        ]
        const startedAt = performance.now()
        const { results } = await gateway.runTurn({
          toolCalls: [{ id: 'b', name: 'tool_call', arguments: { calls } }],
        })
        const took = performance.now() - startedAt
        expect(results.map(({ status, error }) => error?.code ?? status)).toEqual([
          'timeout',
          'backend_error',
          'ok',
        ])
        expect(results[2]?.content).toMatchObject([
          { text: expect.stringContaining('still here') as string },
        ])
        expect(took).toBeLessThan(timeoutMs + 1500)
        await expect.poll(() => isRunning(marker), { timeout: 5000 }).toBe(false)
      } finally {
        await gateway.close()
        server.closeAllConnections()
        server.close()
      }
    })
  },
)
