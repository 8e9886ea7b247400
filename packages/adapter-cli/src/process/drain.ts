import type { Readable } from 'node:stream'

import { deferred } from './deferred.ts'
import type { OutputSink, Stream } from './request.ts'

/** Milliseconds that output may still come after the program itself has ended (B10). */
const drainMs = 250
const stepMs = 10

/** One output of a program, read as fast as the sink takes it. */
export interface OutputReader {
  /**
   * Waits for the end, at most the drain time, and tells whether it came. Unless `inHurry` the time that the sink takes
   * does not count.
   */
  drain(inHurry: boolean): Promise<boolean>
  close(): void
}

/** Reads a stream into the sink; while the sink is busy the stream is paused, so memory stays flat. */
export function readOutput(readable: Readable, stream: Stream, sink: OutputSink): OutputReader {
  const ended = deferred<true>()
  const state = { hasEnded: false, isBusy: false }
  readable.on('data', (chunk: Uint8Array) => {
    const taken = sink(stream, chunk)
    if (taken === undefined) return
    state.isBusy = true
    readable.pause()
    const goOn = (): void => {
      state.isBusy = false
      readable.resume()
    }
    // What a failing sink refuses is dropped: the program must not stand still for it.
    taken.then(goOn, goOn)
  })
  const finish = (): void => {
    state.hasEnded = true
    ended.resolve(true)
  }
  readable.on('end', finish).on('close', finish).on('error', finish)
  return {
    drain: async (inHurry) => {
      for (let waited = 0; waited < drainMs;) {
        if (state.hasEnded) return true
        await settledOrAfter(ended.promise, stepMs)
        if (inHurry || !state.isBusy) waited += stepMs
      }
      return state.hasEnded
    },
    close: () => readable.destroy(),
  }
}

function settledOrAfter(promise: Promise<unknown>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    void promise.then(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
