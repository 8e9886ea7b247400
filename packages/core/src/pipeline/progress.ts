import type { ContentPart, InvokeContext, Progress } from '@callgate/spec'

import { boundedFacts, maxFactBytes } from '../results/bounded-facts.ts'
import { takePart } from '../results/content-part.ts'
import { headAndTail, shortened } from '../results/cut-text.ts'
import { textOfPart, withText } from '../results/part-text.ts'
import { newRoom } from '../results/room.ts'
import { textOfThrown } from '../results/thrown.ts'
import type { Call } from './call.ts'
import { isPromiseLike } from './maybe.ts'
import type { Services } from './services.ts'

type Given = Parameters<InvokeContext['progress']>[0]

/** Tells the caller how far a call is, without secrets and within bounds. Never throws. */
export function tellProgress(call: Call, { log, redactor }: Services, given: Given): void {
  const { onProgress } = call.context
  // Of a call that has its result nothing is partial any more.
  if (onProgress === undefined || !isRunning(call)) return
  const failed = (error: unknown): void =>
    log.warn('onProgress failed', { error: textOfThrown(error) })
  try {
    const clean = redactor.value({ ...taken(given), callId: call.callId }) as Progress
    const told: unknown = onProgress(bounded(clean))
    if (isPromiseLike(told)) Promise.resolve(told).catch(failed)
  } catch (error) {
    failed(error)
  }
}

/** A copy that has the form of progress, whatever an adapter gave. */
function taken({ note, partial, ...facts }: Given): object {
  const part = takePart(partial, newRoom())
  return {
    ...boundedFacts(facts, maxFactBytes),
    ...(typeof note === 'string' ? { note } : {}),
    ...(part === undefined ? {} : { partial: part }),
  }
}

/** Characters of a note; what is longer is output, and comes as a part. */
const maxNote = 1000

/** Without secrets first: a part of one is not found. */
function bounded(progress: Progress): Progress {
  const { note, partial } = progress
  return {
    ...progress,
    ...(note === undefined ? {} : { note: shortened(note, maxNote) }),
    ...(partial === undefined ? {} : { partial: cutPart(partial) }),
  }
}

function cutPart(part: ContentPart): ContentPart {
  const text = textOfPart(part) ?? ''
  return text.length <= maxFactBytes / 3
    ? part
    : withText(part, headAndTail(text, maxFactBytes).text)
}

/** A call that executes has not yet come to the end of that step. */
function isRunning({ trace }: Call): boolean {
  return trace.at(-1)?.step === 'validation'
}
