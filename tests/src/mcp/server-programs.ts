import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import type { StdioServer } from '@callgate/adapter-mcp'

/** An MCP server made by others, set up for a folder of its own. */
export interface ServerProgram {
  readonly name: string
  /** A program that it needs beside Node. */
  readonly needs?: string
  readonly setUp: (folder: string) => StdioServer
}

/** `script` is the URL of its file. */
function onNode(script: string | URL, args: readonly string[] = []): StdioServer {
  return {
    command: process.execPath,
    args: [fileURLToPath(script), ...args],
    connectTimeoutMs: 30_000,
  }
}

export const filesystem: ServerProgram = {
  name: 'filesystem',
  setUp: (folder) =>
    onNode(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'), [folder]),
}

export const memory: ServerProgram = {
  name: 'memory',
  setUp: (folder) => ({
    ...onNode(import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js')),
    env: { MEMORY_FILE_PATH: `${folder}/memory.jsonl` },
  }),
}

export const thinking: ServerProgram = {
  name: 'sequential-thinking',
  setUp: () =>
    onNode(import.meta.resolve('@modelcontextprotocol/server-sequential-thinking/dist/index.js')),
}

/** Without a browser, so that it does the same on every machine: it lists its tools, and each call tells what it misses. */
export const playwright: ServerProgram = {
  name: 'playwright',
  setUp: (folder) => ({
    ...onNode(new URL('cli.js', import.meta.resolve('@playwright/mcp/package.json')), [
      '--headless',
      '--executable-path',
      `${folder}/no-browser`,
    ]),
    cwd: folder,
  }),
}

export const git: ServerProgram = {
  name: 'git',
  needs: 'git',
  setUp: (folder) => ({ ...onNode(import.meta.resolve('@cyanheads/git-mcp-server')), cwd: folder }),
}

export const eslint: ServerProgram = {
  name: 'eslint',
  setUp: (folder) => ({
    ...onNode(import.meta.resolve('@eslint/mcp/src/mcp-cli.js')),
    cwd: folder,
  }),
}

/** Why a server cannot run here; where CI is set nothing may be missing, so that it runs and fails. */
export function missing({ needs }: ServerProgram): string | undefined {
  if (needs === undefined || process.env['CI']) return undefined
  const { error } = spawnSync(needs, ['--version'], { stdio: 'ignore' })
  return error === undefined ? undefined : `${needs} is not installed`
}
