import type { ContentPart, InvokeContext, Progress } from '@callgate/spec'

import { boundedFacts, maxFactBytes } from '../results/bounded-facts.ts'
import { takePart } from '../results/content-part.ts'
import { headAndTail, shortened } from '../results/cut-text.ts'
import { HeldTexts, type Piece } from '../results/held-texts.ts'
import { textOfPart, withText } from '../results/part-text.ts'
import { newRoom } from '../results/room.ts'
import { textOfThrown } from '../results/thrown.ts'
import type { Call } from './call.ts'
import { isPromiseLike } from './maybe.ts'
import type { Services } from './services.ts'

type Given = Parameters<InvokeContext['progress']>[0]

/** Of so many streams a text is held back at once: a program has two. */
const maxStreams = 16

/** Tells the caller how far a call is, without secrets and within bounds. Never throws. */
export function tellProgress(call: Call, services: Services, given: Given): void {
  // Of a call that has its result nothing is partial any more.
  if (call.context.onProgress === undefined || !isRunning(call)) return
  const held = (call.heldTexts ??= new HeldTexts(services.redactor))
  tell(call, services, () => {
    const progress = taken(given)
    const { note, partial } = progress
    return partial?.type === 'text'
      ? { ...progress, partial: { ...partial, text: held.next(note, partial.text) } }
      : progress
  })
  tellPieces(call, services, held.release(maxStreams))
}

/** At the end of a call: what was held back was no beginning of a secret. */
export function tellHeldTexts(call: Call, services: Services): void {
  if (call.heldTexts !== undefined && !call.stop.stopped) {
    tellPieces(call, services, call.heldTexts.release(0))
  }
}

function tellPieces(call: Call, services: Services, pieces: readonly Piece[]): void {
  for (const [note, text] of pieces) {
    tell(call, services, () => ({
      ...(note === undefined ? {} : { note }),
      partial: { type: 'text', text },
    }))
  }
}

function tell({ context, callId }: Call, { log, redactor }: Services, make: () => Given): void {
  const failed = (error: unknown): void =>
    log.warn('onProgress failed', { error: textOfThrown(error) })
  try {
    const clean = redactor.value({ ...make(), callId }) as Progress
    const told: unknown = context.onProgress!(bounded(clean))
    if (isPromiseLike(told)) Promise.resolve(told).catch(failed)
  } catch (error) {
    failed(error)
  }
}

/** A copy that has the form of progress, whatever an adapter gave. */
function taken({ note, partial, ...facts }: Given): Given {
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
