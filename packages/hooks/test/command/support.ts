import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { onTestFinished } from 'vitest'

import type { CommandHookOptions } from '../../src/command.ts'

/** Options that run a piece of JavaScript as the command; `input` in it is what came on stdin, parsed. */
export function script(
  code: string,
  rest: Omit<CommandHookOptions, 'command' | 'args'> = {},
): CommandHookOptions {
  const read = 'const input = JSON.parse(require("node:fs").readFileSync(0, "utf8"));'
  return { command: process.execPath, args: ['-e', read + code], ...rest }
}

/** A command of the dialect exit-code that writes this and ends with this code. */
export function says(
  stdout: unknown,
  rest: Omit<CommandHookOptions, 'command' | 'args'> & { code?: number; stderr?: string } = {},
): CommandHookOptions {
  const { code = 0, stderr = '', ...options } = rest
  const text = typeof stdout === 'string' ? stdout : JSON.stringify(stdout)
  return script(
    `process.stdout.write(${JSON.stringify(text)});` +
      `process.stderr.write(${JSON.stringify(stderr)});process.exitCode = ${code}`,
    { dialect: 'exit-code', ...options },
  )
}

/** A command of the dialect callgate that gives this decision with the nonce. */
export function decides(
  decision: unknown,
  rest: Omit<CommandHookOptions, 'command' | 'args'> = {},
): CommandHookOptions {
  return script(
    `console.log(JSON.stringify({ nonce: input.nonce, decision: ${JSON.stringify(decision)} }))`,
    rest,
  )
}

let files = 0

/** A path that does not exist yet and is removed when the test ends. */
export function scratchFile(): string {
  const path = join(tmpdir(), `callgate-hook-${process.pid}-${files++}`)
  onTestFinished(() => rm(path, { force: true }))
  return path
}

/** Asks again and again until there is an answer. */
export async function until<T>(ask: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** The text of a file once it is there and complete. */
export function written(path: string): Promise<string> {
  return until(async () => {
    const text = await readFile(path, 'utf8').catch(() => '')
    return text.endsWith('\n') ? text.trim() : undefined
  })
}

/** Whether a process runs; one that is dead and merely not yet reaped does not. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return !/\) Z /.test(stat)
}
