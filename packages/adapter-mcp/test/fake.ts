import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { onTestFinished } from 'vitest'

import type { McpOptions, StdioServer } from '../src/index.ts'
import { type Running, start, type StubHost } from './host.ts'

export const script = fileURLToPath(new URL('fixtures/fake-stdio.ts', import.meta.url))

/** The fake server in one of its modes, as a server of the options. */
export function fake(mode: string, more: Partial<StdioServer> = {}, file = ''): StdioServer {
  return { command: process.execPath, args: [script, mode, file], ...more }
}

/** Starts an adapter over the fake as server `s`, and stops it after the test. */
export async function withFake(
  mode: string,
  more: Partial<StdioServer> = {},
  rest: Partial<McpOptions> & { readonly host?: StubHost; readonly file?: string } = {},
): Promise<Running> {
  const { host, file, ...options } = rest
  const running = await start({ ...options, servers: { s: fake(mode, more, file) } }, host)
  onTestFinished(() => running.adapter.stop?.({ graceMs: 100 }))
  return running
}

/** A file name in a folder of its own that is removed after the test. */
export function scratchFile(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'callgate-mcp-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return path.join(folder, 'file')
}
