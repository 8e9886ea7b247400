import type { Readable } from 'node:stream'

/** How long the end of a stream is waited for by somebody who wants no more of it. */
const endMs = 200

/**
 * The pieces of a stream. Once `isEnough` holds, the end has to come at once: undefined is the last piece of a stream that
 * is still open then, or breaks off. Whoever leaves the loop ends the stream.
 */
export async function* chunksOf(
  stream: Readable,
  isEnough: () => boolean,
): AsyncGenerator<Uint8Array | undefined, void> {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>
  let latest: number | undefined
  try {
    for (;;) {
      const next = chunks.next()
      if (isEnough()) latest ??= performance.now() + endMs
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const step = await (latest === undefined ? next : before(latest, next))
      if (step === undefined) yield undefined
      if (step === undefined || step.done === true) return
      yield step.value
    }
  } finally {
    stream.destroy()
  }
}

/** What a promise gives, or undefined where that comes too late or it fails. */
async function before<Result>(
  latest: number,
  promise: Promise<Result>,
): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), latest - performance.now())
  })
  try {
    return await Promise.race([promise.catch(() => undefined), late])
  } finally {
    clearTimeout(timer)
  }
}
