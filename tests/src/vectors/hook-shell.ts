import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

import { createGateway, defineTool } from '@callgate/core'
import { createHookBus } from '@callgate/hooks'
import { commandHook } from '@callgate/hooks/command'
import type { CallgateEvents, ToolResult } from '@callgate/spec'

import { differ, differIfSaid, includesAll } from './compare.ts'

export interface ShellScenario {
  readonly exit?: number
  readonly stdout?: string
  readonly stderr?: string
  readonly fail_closed?: boolean
  readonly matcher?: string
  readonly tools?: readonly string[]
  readonly dialect: 'exit-code'
}

export interface ShellExpectation {
  readonly blocked?: boolean
  readonly message?: string
  readonly message_names?: string
  readonly spawned_for?: readonly string[]
  readonly effect?: string
}

/** One vector of the group `shell`: a real program as a hook. */
export async function runShellVector(
  scenario: ShellScenario,
  expected: ShellExpectation,
): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'callgate-shell-'))
  try {
    return await check(scenario, expected, folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function check(
  scenario: ShellScenario,
  expected: ShellExpectation,
  folder: string,
): Promise<readonly string[]> {
  const log = join(folder, 'calls.log')
  const command = await writeHook(scenario, folder, log)
  const bus = createHookBus<CallgateEvents>()
  bus.on(
    'pre_tool_call',
    commandHook({
      command,
      dialect: scenario.dialect,
      ...(scenario.matcher === undefined ? {} : { matcher: scenario.matcher }),
      ...(scenario.fail_closed === undefined ? {} : { failClosed: scenario.fail_closed }),
    }),
    { id: 'command' },
  )
  let asked = 0
  const gateway = createGateway({
    tools: (scenario.tools ?? ['t']).map((name) =>
      defineTool({
        namespace: 'local',
        name,
        description: name,
        parameters: { type: 'object' },
        execute: () => 'ran',
      }),
    ),
    hooks: bus,
    approver: async () => {
      asked++
      return { decision: 'deny' }
    },
  })
  const results: ToolResult[] = []
  for (const name of scenario.tools ?? ['t'])
    results.push(await gateway.dispatch({ name, arguments: {} }))
  const spawned = await readFile(log, 'utf8').catch(() => '')
  return compare(results, spawned, asked, command, scenario, expected)
}

/** A program that notes the tool it was asked about, and answers as the vector says. */
async function writeHook(scenario: ShellScenario, folder: string, log: string): Promise<string> {
  const path = join(folder, 'hook.sh')
  const lines = [
    '#!/bin/sh',
    `sed -n 's/.*"tool_name":"\\([^"]*\\)".*/\\1/p' >> '${log}'`,
    `printf '%s' '${scenario.stdout ?? ''}'`,
    `printf '%s' '${scenario.stderr ?? ''}' >&2`,
    `exit ${scenario.exit ?? 0}`,
  ]
  await writeFile(path, `${lines.join('\n')}\n`)
  await chmod(path, 0o755)
  return path
}

function compare(
  results: readonly ToolResult[],
  spawned: string,
  asked: number,
  command: string,
  scenario: ShellScenario,
  expected: ShellExpectation,
): readonly string[] {
  const [result] = results
  const message = result?.error?.message ?? ''
  return [
    ...(expected.blocked === undefined
      ? []
      : differ('blocked', result?.status === 'denied', expected.blocked)),
    ...differIfSaid('message', message, expected.message),
    ...(expected.message_names === undefined
      ? []
      : includesAll('message', message, [basename(command), String(scenario.exit)])),
    ...(expected.spawned_for === undefined
      ? []
      : differ('spawned for', spawned.trim().split('\n'), expected.spawned_for)),
    ...(expected.effect === undefined ? [] : differ('questions to a human', asked, 1)),
  ]
}
