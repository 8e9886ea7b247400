import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { mcpAdapter } from '@callgate/adapter-mcp'
import { createGateway, type Gateway } from '@callgate/core'
import type { ToolResult } from '@callgate/spec'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { groupsOfChildren, hasMembers } from '../src/mcp/process-groups.ts'
import * as programs from '../src/mcp/server-programs.ts'

interface Call {
  readonly tool: string
  readonly args: (folder: string) => object
}

interface Case {
  readonly program: programs.ServerProgram
  /** Some of its tools, and how many there are. */
  readonly tools: readonly [some: string[], count: number]
  /** Calls that succeed, and what they give. */
  readonly good: readonly (Call & { readonly data: (folder: string) => unknown })[]
  readonly sloppy: Call & { readonly repairs: readonly (readonly [path: string, rule: string])[] }
  readonly bad: Call & { readonly message: RegExp }
}

const ada = { name: 'Ada', entityType: 'person', observations: ['wrote programs'] }
const names = {
  wide: ['read_text_file', 'write_file', 'list_directory'],
  memory: ['create_entities', 'read_graph', 'open_nodes'],
  browser: ['browser_navigate', 'browser_click', 'browser_snapshot'],
  git: ['git_status', 'git_commit', 'git_log'],
}

const cases: readonly Case[] = [
  {
    program: programs.filesystem,
    tools: [names.wide, 14],
    good: [
      {
        tool: 'read_text_file',
        args: (folder) => ({ path: `${folder}/a.txt` }),
        data: () => ({ content: 'one\ntwo\nthree\n' }),
      },
    ],
    sloppy: {
      tool: 'read_text_file',
      args: (folder) => ({ path: `${folder}/a.txt`, head: '2' }),
      repairs: [['/head', 'text-to-number']],
    },
    bad: {
      tool: 'read_text_file',
      args: (folder) => ({ path: path.dirname(folder) }),
      message: /Access denied/,
    },
  },
  {
    program: programs.memory,
    tools: [names.memory, 9],
    good: [
      {
        tool: 'create_entities',
        args: () => ({ entities: [ada] }),
        data: () => ({ entities: [ada] }),
      },
    ],
    sloppy: {
      tool: 'create_entities',
      args: () => ({ entities: JSON.stringify([ada]) }),
      repairs: [['/entities', 'parse-json']],
    },
    bad: {
      tool: 'add_observations',
      args: () => ({ observations: [{ entityName: 'Nobody', contents: ['is here'] }] }),
      message: /Nobody not found/,
    },
  },
  {
    program: programs.thinking,
    tools: [['sequentialthinking'], 1],
    good: [
      {
        tool: 'sequentialthinking',
        args: () => ({ thought: 'a', nextThoughtNeeded: true, thoughtNumber: 1, totalThoughts: 3 }),
        data: () => expect.objectContaining({ thoughtNumber: 1, totalThoughts: 3, branches: [] }),
      },
    ],
    sloppy: {
      tool: 'sequentialthinking',
      args: () => ({ thought: 'b', nextThoughtNeeded: true, thoughtNumber: '2', totalThoughts: 3 }),
      repairs: [['/thoughtNumber', 'text-to-number']],
    },
    bad: {
      tool: 'sequentialthinking',
      args: () => ({ thought: 'c', nextThoughtNeeded: 'no', thoughtNumber: 3, totalThoughts: 3 }),
      message: /nextThoughtNeeded/,
    },
  },
  {
    program: programs.playwright,
    tools: [names.browser, 25],
    // Each call needs the browser that is not there; what was repaired is seen all the same.
    good: [],
    sloppy: {
      tool: 'browser_resize',
      args: () => ({ width: '800', height: 600 }),
      repairs: [['/width', 'text-to-number']],
    },
    bad: {
      tool: 'browser_navigate',
      args: () => ({ url: 'about:blank' }),
      message: /executable doesn't exist at .*no-browser/,
    },
  },
  {
    program: programs.git,
    tools: [names.git, 28],
    good: [
      {
        tool: 'git_init',
        args: (folder) => ({ path: `${folder}/project`, initialBranch: 'trunk' }),
        data: (folder) =>
          expect.objectContaining({
            success: true,
            path: `${folder}/project`,
            initialBranch: 'trunk',
          }),
      },
    ],
    sloppy: {
      tool: 'git_set_working_dir',
      args: (folder) => ({ path: folder, initializeIfNotPresent: 'true' }),
      repairs: [['/initializeIfNotPresent', 'text-to-boolean']],
    },
    bad: {
      tool: 'git_status',
      args: (folder) => ({ path: `${folder}/nowhere` }),
      message: /nowhere|not a git repository|does not exist|cannot access/i,
    },
  },
  {
    program: programs.eslint,
    tools: [['lint-files'], 1],
    good: [
      {
        tool: 'lint-files',
        args: (folder) => ({ filePaths: [`${folder}/a.js`] }),
        data: () => expect.stringContaining('"ruleId":"no-unused-vars"'),
      },
    ],
    sloppy: {
      tool: 'lint-files',
      args: (folder) => ({ filePaths: `${folder}/a.js` }),
      repairs: [['/filePaths', 'wrap']],
    },
    bad: {
      tool: 'lint-files',
      args: (folder) => ({ filePaths: [`${folder}/none.js`] }),
      message: /No files matching/,
    },
  },
]

function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'callgate-servers-')))
  writeFileSync(`${folder}/a.txt`, 'one\ntwo\nthree\n')
  writeFileSync(`${folder}/a.js`, 'const unused = 1\n')
  const rules = JSON.stringify({ 'no-unused-vars': 'error' })
  writeFileSync(`${folder}/eslint.config.mjs`, `export default [{ rules: ${rules} }]\n`)
  return folder
}

async function startOver(
  { name, setUp }: programs.ServerProgram,
  folder: string,
): Promise<Gateway> {
  const adapter = mcpAdapter({ servers: { [name]: setUp(folder) }, startWaitMs: 30_000 })
  const gateway = createGateway({ adapters: [adapter] })
  await gateway.start()
  return gateway
}

for (const { program, tools, good, sloppy, bad } of cases) {
  const { name } = program
  const why = programs.missing(program)
  describe.skipIf(why !== undefined)(
    `the ${name} server${why === undefined ? '' : ` (${why})`}`,
    () => {
      let folder = ''
      let gateway: Gateway
      const call = ({ tool, args }: Call): Promise<ToolResult> =>
        gateway.dispatch({ name: `mcp::${name}::${tool}`, arguments: args(folder) })

      beforeAll(async () => {
        folder = makeFolder()
        gateway = await startOver(program, folder)
      }, 60_000)
      afterAll(async () => {
        await gateway.close()
        rmSync(folder, { recursive: true, force: true })
      })

      it('offers its tools', () => {
        const offered = gateway.registry.list().map((each) => each.name)
        const [some, count] = tools
        expect(offered).toEqual(expect.arrayContaining(some))
        expect(offered).toHaveLength(count)
      })

      it.each(good)('answers $tool', async ({ data, ...given }) => {
        const result = await call(given)
        expect(result.error).toBeUndefined()
        expect(result.data).toEqual(data(folder))
      })

      it('gets sloppy arguments repaired', async () => {
        const { metadata, error } = await call(sloppy)
        expect(error?.message ?? '').not.toMatch(/invalid|validation|expected/i)
        expect(metadata.repairs.map((repair) => [repair.path, repair.rule])).toEqual(sloppy.repairs)
      })

      it('has its errors reported as errors of the tool', async () => {
        const { status, error, data } = await call(bad)
        expect({ status, code: error?.code }).toEqual({ status: 'error', code: 'tool_failed' })
        expect(String(data)).toMatch(bad.message)
      })

      it('is gone after a stop, with all that it started', async () => {
        const before = groupsOfChildren()
        const own = makeFolder()
        onTestFinished(() => rmSync(own, { recursive: true, force: true }))
        const another = await startOver(program, own)
        const groups = groupsOfChildren().filter((group) => !before.includes(group))
        expect(groups).toHaveLength(1)
        await another.close()
        expect(groups.filter(hasMembers)).toEqual([])
      })
    },
  )
}
