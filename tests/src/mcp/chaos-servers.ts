import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import type { McpServer } from '@callgate/adapter-mcp'

const fixtures = new URL('../../../packages/adapter-mcp/test/fixtures/', import.meta.url)
const stdioScript = fileURLToPath(new URL('fake-stdio.ts', fixtures))
const httpScript = fileURLToPath(new URL('chaos-http.ts', fixtures))

/** Times are short, so that much goes wrong in little time; milliseconds. */
const limits = {
  timeoutMs: 700,
  totalTimeoutMs: 5000,
  connectTimeoutMs: 3000,
  maxMessageBytes: 1024 ** 2,
}

/** Fake servers of which each call says what they do. */
export interface ChaosServers {
  readonly servers: { readonly [name: string]: McpServer }
  /** Which calls were run, with repetitions, in no order. */
  runs(): readonly string[]
  /** Every process that was started as a server; each leads a group. */
  started(): readonly number[]
  stop(): Promise<void>
}

/** @param folder where the servers write down what they ran. */
export async function startChaosServers(
  folder: string,
  stdioCount: number,
  httpCount: number,
): Promise<ChaosServers> {
  const file = (name: string): string => `${folder}/${name}.txt`
  const stdio = Array.from({ length: stdioCount }, (_, at) => `stdio-${String(at)}`)
  const child = spawn(process.execPath, [httpScript, file('http'), String(httpCount)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const urls = await firstLine(child)
  const lines = (kind: string): readonly string[] =>
    [...stdio, 'http'].flatMap((name) =>
      linesOf(file(name))
        .filter((line) => line.startsWith(kind))
        .map((line) => line.slice(kind.length)),
    )
  return {
    servers: Object.fromEntries<McpServer>([
      ...stdio.map((name) => {
        const args = [stdioScript, 'chaos', file(name)]
        const restart = { initialMs: 20, maxMs: 500, stableMs: 2000 }
        return [name, { command: process.execPath, args, restart, ...limits }] as const
      }),
      ...urls.map((url, at) => [`http-${String(at)}`, { url, ...limits }] as const),
    ]),
    runs: () => lines('run '),
    started: () => lines('start ').map(Number),
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve())
        child.stdin.end()
      }),
  }
}

function firstLine(child: ChildProcess): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error('the servers over HTTP did not start')))
    createInterface({ input: child.stdout! }).once('line', (line) =>
      resolve(JSON.parse(line) as readonly string[]),
    )
  })
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch {
    return []
  }
}
