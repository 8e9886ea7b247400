import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { cliAdapter } from '@callgate/adapter-cli'
import { httpAdapter } from '@callgate/adapter-http'
import { createHookBus, type HookBus } from '@callgate/hooks'
import type { CallgateEvents, ToolDefinition } from '@callgate/spec'

import { makeGitRepository } from './git-repository.ts'
import { startableServers } from './mcp-servers.ts'
import { openPlayground, type Played, type Playground, type Setup } from './playground.ts'
import { startTicketService } from './ticket-service.ts'

/** Where things are that the demo runs on; a person who reads the output wants to know. */
export interface DemoBackends {
  readonly repository: string
  readonly tickets: string
  readonly mcpServer: string
}

export interface Demo extends Playground {
  readonly backends: DemoBackends
}

/** The message that the demo plays when it is given none. */
export const demoTurn: URL = new URL('../data/demo-turn.json', import.meta.url)

const mcpServerPackage = '@modelcontextprotocol/server-everything'

/** Brings up three real backends and a gateway in front of them. */
export async function openDemo(port: number, signal: AbortSignal): Promise<Demo> {
  const repository = await makeGitRepository()
  try {
    const tickets = await startTicketService(port)
    const close = async (): Promise<void> => {
      await tickets.stop()
      await repository.remove()
    }
    try {
      const playground = await openPlayground(setup(repository.folder, tickets.url), signal)
      return {
        ...playground,
        backends: {
          repository: repository.folder,
          tickets: tickets.url,
          mcpServer: mcpServerPackage,
        },
        async close() {
          await playground.close()
          await close()
        },
      }
    } catch (error) {
      await close()
      throw error
    }
  } catch (error) {
    await repository.remove()
    throw error
  }
}

function setup(repository: string, tickets: string): Setup {
  const mcp = startableServers({
    // A machine that is busy may take longer than usual.
    everything: {
      command: process.execPath,
      args: [mcpServerPath(), 'stdio'],
      timeoutMs: 60_000,
    },
  })
  const http = httpAdapter({
    documents: [
      {
        name: 'tickets',
        document: fileURLToPath(new URL('../data/tickets.openapi.json', import.meta.url)),
        server: tickets,
        allow: ['127.0.0.1'],
      },
    ],
  })
  const cli = cliAdapter({ workspace: repository, programs: ['git'] })
  return { options: { tools: gitTools, adapters: [cli, mcp.adapter, http], hooks: guards() }, mcp }
}

const gitTools: readonly ToolDefinition[] = [
  {
    namespace: 'git',
    name: 'log',
    description: 'Shows the latest commits, one a line, of the whole repository or of some files.',
    parameters: {
      type: 'object',
      properties: {
        max_count: { type: 'integer', minimum: 1, maximum: 50, description: 'How many commits.' },
        paths: {
          type: 'array',
          items: { type: 'string' },
          description: 'Only commits that touch these files.',
        },
      },
      required: ['max_count'],
      additionalProperties: false,
    },
    effects: { readOnly: true },
    deferred: true,
    backend: {
      adapter: 'cli',
      command: 'git',
      argsTemplate: ['log', '--oneline', '--max-count={max_count}', '--', '{paths...}'],
    },
  },
]

/** The hook of the demo: refuses every call of a tool that destroys something. */
function guards(): HookBus<CallgateEvents> {
  const hooks = createHookBus<CallgateEvents>()
  hooks.on(
    'pre_tool_call',
    ({ definition }) =>
      definition.effects?.destructive === true
        ? { action: 'block', message: 'Deleting needs a person; ask the user first.' }
        : undefined,
    { id: 'no-deletions' },
  )
  return hooks
}

/** The program of the MCP server, as its package names it. */
function mcpServerPath(): string {
  const require = createRequire(import.meta.url)
  const manifest = require.resolve(`${mcpServerPackage}/package.json`)
  const { bin } = require(manifest) as { readonly bin: { readonly [name: string]: string } }
  return fileURLToPath(new URL(Object.values(bin)[0]!, pathToFileURL(manifest)))
}

/** What is not as it should be after the demo's own turn; nothing where all is well. */
export function checkDemo(played: Played): readonly string[] {
  const expected = [
    { status: 'ok', repairs: 2, text: '42' },
    { status: 'ok', repairs: 2, text: 'Say what this is' },
    { status: 'ok', repairs: 2, text: 'Look at the three files' },
    { status: 'ok', repairs: 2, text: 'The build is slow' },
    { status: 'denied', repairs: 1, text: 'Deleting needs a person' },
  ]
  const faults: string[] = []
  if (played.results.length !== expected.length) {
    faults.push(`${played.results.length} results, not ${expected.length}`)
  }
  for (const [index, { status, repairs, text }] of expected.entries()) {
    const result = played.results[index]
    if (result === undefined) continue
    const shown = `${result.error?.message ?? ''} ${result.content.map((part) => (part.type === 'text' ? part.text : '')).join(' ')}`
    if (result.status !== status)
      faults.push(`call ${index + 1} is ${result.status}, not ${status}: ${shown.trim()}`)
    if (result.metadata.repairs.length !== repairs) {
      faults.push(`call ${index + 1} had ${result.metadata.repairs.length} repairs, not ${repairs}`)
    }
    if (!shown.includes(text)) faults.push(`call ${index + 1} does not say "${text}"`)
  }
  return faults
}
