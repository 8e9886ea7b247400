import { spawn, type ChildProcess } from 'node:child_process'

import { ToolError } from '@callgate/spec'

import type { Entry } from '../guard/entry.ts'
import type { Root } from '../roots/root.ts'

// What a configuration or a link could change is fixed; a path is followed by NUL, so that any name can be read back.
const always = [
  '--no-config',
  '--no-follow',
  '--no-messages',
  '--color=never',
  '--null',
  '--sort=path',
]

/**
 * Runs ripgrep in a folder that is held, with an empty environment and no input, and gives its output as it comes.
 *
 * Takes the folder, arguments behind the fixed ones, and a signal that ends it. Ends it, too, when the caller stops
 * taking output. Nothing that it says is believed about what lies in the root: the caller opens what it names.
 *
 * @throws ToolError `tool_failed` with the rule pattern for a pattern that cannot be read, `backend_unavailable`
 * where the platform has no ripgrep.
 */
export async function* ripgrep(
  folder: Entry,
  args: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const program = await programPath()
  const child = spawn(program, [...always, ...args], {
    // The child goes there before it loses the descriptor.
    cwd: folder.child('.').toString(),
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  })
  const ended = endOf(child)
  const stop = (): void => void child.kill('SIGKILL')
  signal.addEventListener('abort', stop, { once: true })
  try {
    if (signal.aborted) return
    yield* child.stdout as AsyncIterable<Buffer>
    const { exitCode, errorText } = await ended
    // 1 is: nothing found; 2 without a word: something could not be read, and was passed over.
    const isFault = exitCode === null || (exitCode > 1 && errorText !== '')
    if (isFault && !signal.aborted) throw faultOf(errorText)
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
    await ended
  }
}

/** Leaves out the folders of the kernel where the root is the whole disk. */
export function kernelGlobs(root: Root): readonly string[] {
  return root.realPath() === '/' ? ['--glob=!/proc', '--glob=!/sys', '--glob=!/dev'] : []
}

interface End {
  readonly exitCode: number | null
  readonly errorText: string
}

function endOf(child: ChildProcess): Promise<End> {
  let errorText = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    if (errorText.length < 2000) errorText += chunk.toString('utf8')
  })
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ exitCode: 2, errorText: error.message }))
    child.once('close', (exitCode) => resolve({ exitCode, errorText }))
  })
}

function faultOf(errorText: string): ToolError {
  const isGlob = errorText.startsWith('rg: error parsing glob')
  const isPattern = isGlob || /regex|pattern/.test(errorText)
  return isPattern
    ? new ToolError({
        code: 'tool_failed',
        rule: 'pattern',
        parameter: isGlob ? 'glob' : 'pattern',
        message: `The ${isGlob ? 'glob' : 'pattern'} cannot be read: ${reasonIn(errorText)}.`,
        started: 'no',
      })
    : new ToolError({
        code: 'backend_error',
        rule: 'search-engine',
        message: 'The search engine failed.',
        started: 'no',
        cause: errorText,
      })
}

/** What the engine says, in one line: without the drawing before it, and the advice about its own options behind it. */
function reasonIn(errorText: string): string {
  if (errorText.includes('literal "\\n"'))
    return 'it is compared line by line, so it holds no line end'
  const [first = ''] = errorText.replace(/^rg: /, '').split('\n', 1)
  return (/^error: (.+)$/m.exec(errorText)?.[1] ?? first).trim().slice(0, 500)
}

async function programPath(): Promise<string> {
  try {
    const { rgPath } = await import('@vscode/ripgrep')
    return rgPath
  } catch (error) {
    throw new ToolError({
      code: 'backend_unavailable',
      rule: 'search-engine',
      message: 'There is no search engine for this platform.',
      started: 'no',
      cause: error,
    })
  }
}
