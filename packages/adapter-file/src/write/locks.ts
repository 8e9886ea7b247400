import { throwIfAborted } from '../guard/refuse.ts'

/** Runs work while no other work with the same key runs; who waits longest is next. */
export async function inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  const before = last.get(key)
  const running = before === undefined ? work() : before.then(work)
  const settled = running.then(
    () => undefined,
    () => undefined,
  )
  last.set(key, settled)
  try {
    return await running
  } finally {
    if (last.get(key) === settled) last.delete(key)
  }
}

// For the whole process: several adapters may have the same file below their roots (C13).
const last = new Map<string, Promise<undefined>>()

/**
 * Runs work in its turn, which `enter` gives it; a caller that stops waits no longer, and the work is then not begun.
 *
 * @throws ToolError `cancelled` when the signal is aborted before the turn has come.
 */
export async function inTurnOrStop<Result>(
  signal: AbortSignal,
  enter: (work: <Inner>(inner: () => Promise<Inner>) => Promise<Inner>) => Promise<Result>,
): Promise<Result> {
  let isBegun = false
  const running = enter((inner) => {
    throwIfAborted(signal)
    isBegun = true
    return inner()
  })
  let onAbort = (): void => undefined
  const stopped = new Promise<void>((resolve) => {
    onAbort = () => resolve()
  })
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    await Promise.race([running, stopped])
    if (!isBegun) throwIfAborted(signal)
    return await running
  } finally {
    signal.removeEventListener('abort', onAbort)
    // Its turn comes when nobody listens any more.
    running.catch(() => undefined)
  }
}

/** Lets a number of works run at the same time; the others wait in order. */
export function limiter(limit: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let free = limit
  const waiting: (() => void)[] = []
  return async (work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}
