import { fork, type ChildProcess } from 'node:child_process'

import { runnerFile } from '../runner-file.ts'
import type { FromRunner, ToRunner } from './messages.ts'

/** The small process, as long as it lives. */
export interface RunnerProcess {
  send(message: ToRunner): void
  /** While on, this process waits for it before it ends by itself. */
  hold(on: boolean): void
  /** Closes the channel and waits at most so many milliseconds for it to clean up and go. */
  close(limitMs: number): Promise<void>
  kill(): void
}

/** Starts the process. `onGone` comes once, and tells whether it had ever been ready. */
export function startRunner(
  onMessage: (message: FromRunner) => void,
  onGone: (wasReady: boolean) => void,
): RunnerProcess {
  const child = forkRunner()
  let wasReady = false
  let isGone = false
  const gone = new Promise<void>((resolve) => {
    const settle = (): void => {
      if (isGone) return
      isGone = true
      onGone(wasReady)
      resolve()
    }
    child.once('exit', settle).once('error', settle)
  })
  child.on('message', (message: FromRunner) => {
    if (message.type === 'ready') wasReady = true
    else onMessage(message)
  })
  const hold = (on: boolean): void => {
    if (on) {
      child.ref()
      child.channel?.ref()
    } else {
      child.unref()
      child.channel?.unref()
    }
  }
  hold(false)
  return {
    // A failure is followed by the exit.
    send: (message) => void child.send(message, () => undefined),
    hold,
    kill: () => void child.kill('SIGKILL'),
    close: async (limitMs) => {
      if (isGone) return
      hold(true)
      if (child.connected) child.disconnect()
      const timer = setTimeout(() => child.kill('SIGKILL'), limitMs)
      await gone
      clearTimeout(timer)
    },
  }
}

function forkRunner(): ChildProcess {
  const { SystemRoot } = process.env
  return fork(runnerFile, [], {
    // Programs could read the secrets of this process from the environment of their parent.
    env: SystemRoot === undefined ? {} : { SystemRoot },
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // An interrupt from the terminal is for the gateway, which then stops this process in order.
    detached: true,
  })
}
