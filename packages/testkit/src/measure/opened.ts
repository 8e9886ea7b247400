import { AsyncLocalStorage, createHook } from 'node:async_hooks'
// Not the global one, which a test runner may have replaced.
import { setImmediate } from 'node:timers'

/**
 * Node's names of what reads, writes, connects, listens, waits or runs by itself; not of promises, computing, and what
 * only follows on one of these. (The types of `init`, in Node's documentation of async_hooks.)
 */
const opening =
  /^(?:FS|FILEHANDLE|DIRHANDLE|STATWATCHER|TCP|PIPE|UDP|TLS|TTY|JSSTREAM|HTTP2|QUIC|GETADDRINFO|GETNAMEINFO|QUERY|PROCESS|WORKER|MESSAGEPORT|SIGNAL|Timeout|Immediate)/

/**
 * What a function and all that it begins behind its awaits opens, whether or not it keeps the process alive, and nothing
 * that anybody else opens meanwhile: Node's names with their numbers.
 *
 * Once the loop has turned all its promises have gone as far as they can without something that is opened. What is done
 * synchronously is seen by nobody.
 */
export async function opened(begin: () => void): Promise<readonly string[]> {
  // A writer of the process that is made at the first look is nobody's.
  void [process.stdout, process.stderr]
  const counts = new Map<string, number>()
  const mine = new AsyncLocalStorage<boolean>()
  const hook = createHook({
    init(_id, type) {
      if (mine.getStore() !== true || !opening.test(type)) return
      counts.set(type, (counts.get(type) ?? 0) + 1)
    },
  })
  hook.enable()
  try {
    mine.run(true, begin)
    await new Promise((resolve) => setImmediate(resolve))
  } finally {
    hook.disable()
  }
  return [...counts].map(([kind, count]) => `${kind} (${count})`)
}
