import { fork, type ChildProcess, type ForkOptions } from 'node:child_process'
import { once } from 'node:events'

/** Starts a fixture and waits for its first message; it is killed after the work, whatever comes of it. */
export async function withFixture<Result>(
  name: string,
  args: readonly string[],
  work: (child: ChildProcess) => Promise<Result>,
  { execArgv = [], ...options }: ForkOptions = {},
): Promise<Result> {
  const child = fork(`${import.meta.dirname}/fixtures/${name}`, [...args], {
    ...options,
    execArgv: ['--conditions=@callgate/source', ...execArgv],
  })
  const exited = once(child, 'exit')
  try {
    const first = await Promise.race([once(child, 'message'), exited.then(() => undefined)])
    if (first === undefined) throw new Error(`${name} ended before it was ready.`)
    return await work(child)
  } finally {
    child.kill('SIGKILL')
    await exited
  }
}
