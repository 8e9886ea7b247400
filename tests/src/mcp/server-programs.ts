import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import type { StdioServer } from '@callgate/adapter-mcp'

/** An MCP server made by others, set up for a folder of its own. */
export interface ServerProgram {
  readonly name: string
  /** Programs of which it needs one beside Node. */
  readonly needs?: readonly string[]
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

/** Playwright's server with a browser that is given by its path; what the two leave behind stays in the folder. */
function onPlaywright(folder: string, browser: string, more: readonly string[] = []): StdioServer {
  const script = new URL('cli.js', import.meta.resolve('@playwright/mcp/package.json'))
  return {
    ...onNode(script, ['--headless', '--isolated', '--executable-path', browser, ...more]),
    cwd: folder,
    env: { TMPDIR: folder, TEMP: folder, TMP: folder },
  }
}

/** Without a browser, so that it does the same on every machine: it lists its tools, and each call tells what it misses. */
export const playwright: ServerProgram = {
  name: 'playwright',
  setUp: (folder) => onPlaywright(folder, `${folder}/no-browser`),
}

const browsers = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** With the Chromium of this machine. */
export const browser: ServerProgram = {
  name: 'browser',
  needs: browsers,
  setUp: (folder) =>
    // Chromium takes no sandbox of its own as root, as in a container.
    onPlaywright(
      folder,
      firstOf(browsers) ?? 'chromium',
      process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    ),
}

export const git: ServerProgram = {
  name: 'git',
  needs: ['git'],
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
  return firstOf(needs) === undefined ? `${needs[0]!} is not installed` : undefined
}

/** Where the first of the programs that is installed is. */
function firstOf(programs: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return programs
    .flatMap((program) => folders.map((folder) => join(folder, program)))
    .find((file) => existsSync(file))
}
