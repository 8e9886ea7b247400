import {
  errorCodes,
  type AdapterOutput,
  type CallPayload,
  type ContentPart,
  type Ports,
} from '@callgate/spec'

import { withAdvice } from '../policy/advice.ts'
import { boundedFacts, maxFactBytes } from '../results/bounded-facts.ts'
import { capResult, surelyFits, type Capped } from '../results/cap.ts'
import { contentOf, shapeOutput, type Shaped } from '../results/content.ts'
import { errorOf, failure, type Failure } from '../results/failure.ts'
import { freezeOwn } from '../results/freeze-own.ts'
import { jsonSafe } from '../results/json-safe.ts'
import { orStopped } from '../turn/or-stopped.ts'
import { aboutCall } from './about-call.ts'
import type { Call, Produced } from './call.ts'
import { checkFields } from './change-fields.ts'
import { HookNote } from './hook-failures.ts'
import { isPromise, isPromiseLike, type Maybe } from './maybe.ts'
import { payloadWith } from './payload.ts'
import type { Services } from './services.ts'

/** What the envelope will hold of the outcome. */
export interface Finished extends Capped {
  readonly failure?: Failure
}

/** Step 6: normalise, hooks on the result, redaction, caps (R11). */
export function finish(call: Call, services: Services, produced: Produced): Maybe<Finished> {
  if (!produced.ok) return finishFailure(call, services, produced)
  const shaped = ownOutput(call, services, produced.output)
  return services.bus.has('transform_tool_result')
    ? transformed(call, services, shaped)
    : capped(call, services, shaped)
}

function transformed(call: Call, services: Services, shaped: Shaped): Maybe<Finished> {
  const { data, content } = shaped
  const outcome = services.bus.fire(
    'transform_tool_result',
    payloadWith(call, services, { data, content }),
    {
      ...aboutCall(call, services),
      frozen: true,
      apply: (payload, change) =>
        payloadWith(call, services, freezeOwn(changed(payload, change as Partial<Shaped>))),
    },
  )
  const settle = (done: Awaited<typeof outcome>): Maybe<Finished> => {
    if (done.trace.length > 0) call.notes.push(new HookNote('transform_tool_result', done.trace))
    if (done.withheldBy !== undefined) return withheld(done.withheldBy.hook)
    const { payload } = done
    const isAsMade = payload.data === data && payload.content === content
    return capped(call, services, isAsMade ? shaped : payload)
  }
  return isPromiseLike(outcome)
    ? orStopped(outcome.then(settle), call.stop, stopped, graceOf(services))
    : settle(outcome)
}

/** What a result may still take after a stop, in milliseconds: a turn settles within 100 ms, and its tool has had 50. */
const graceMs = 40

function graceOf({ ports }: Services): { readonly clock: Ports['clock']; readonly ms: number } {
  return { clock: ports.clock, ms: graceMs }
}

/** The tool has run; what a hook would have made of its result nobody knows, so it is not shown. */
function stopped(): Finished {
  return {
    data: null,
    content: [],
    failure: failure(
      'cancelled',
      'The call was stopped when the tool had run; its result is lost.',
      {
        started: 'yes',
      },
    ),
  }
}

const nothing: Shaped = { data: null, content: [] }

/** The output as hooks may get it: a copy, since the tool's own objects are the tool's, and frozen where hooks are. */
function ownOutput(call: Call, services: Services, output: AdapterOutput): Shaped {
  const shaped = shapeOutput(output)
  const watched = services.bus.has('transform_tool_result') || services.bus.has('post_tool_call')
  if (watched) {
    freezeOwn(shaped.data)
    freezeOwn(shaped.content)
  }
  call.rawData = shaped.data
  if (output.metadata !== undefined) {
    const facts = boundedFacts(output.metadata, maxFactBytes)
    call.backend = services.redactor.value(facts) as NonNullable<Call['backend']>
  }
  return shaped
}

type ResultPayload = CallPayload & {
  readonly data: unknown
  readonly content: readonly ContentPart[]
}

/** @throws TypeError when the change holds anything but data and content, or a content that is no list. */
function changed(payload: ResultPayload, change: Partial<Shaped>): Shaped {
  checkFields(change, 'data', 'content')
  if (change.content !== undefined && !Array.isArray(change.content)) {
    throw new TypeError('modify.content must be a list of content parts')
  }
  if (change.content === undefined && !('data' in change)) {
    return { data: payload.data, content: payload.content }
  }
  if (change.content === undefined) {
    const data = jsonSafe(change.data ?? null)
    return { data, content: contentOf(data) }
  }
  return shapeOutput({
    content: change.content,
    ...('data' in change ? { data: change.data } : {}),
  })
}

function withheld(hook: string): Finished {
  return {
    data: null,
    content: [],
    failure: failure(
      'result_withheld',
      `The result is withheld because the hook "${hook}" failed on it.`,
      {
        started: 'yes',
        rule: hook,
      },
    ),
  }
}

/** An entry of a batch of connectors is cut with the others; before that only where it is longer than so many results. */
const entryCaps = 10

/** Redacts, then cuts. Awaits only what is too long. */
function capped(call: Call, services: Services, shaped: Shaped): Maybe<Capped> {
  const { data, content, isMade = false } = shaped
  const clean: Shaped = {
    data: services.redactor.value(data),
    content: services.redactor.value(content) as readonly ContentPart[],
    isMade,
  }
  const { resultCapBytes } = services.settings
  const maxBytes = resultCapBytes * (call.lineage.isEntry === true ? entryCaps : 1)
  if (surelyFits(clean, maxBytes) || call.lineage.isStep === true) return clean
  return cut(call, services, clean, maxBytes)
}

function cut(call: Call, services: Services, shaped: Shaped, maxBytes: number): Promise<Capped> {
  const { sessionId, task } = call.context
  return capResult(shaped, {
    maxBytes,
    task,
    keep: (text) => services.spills.keep(text, sessionId, call.stop),
  })
}

function finishFailure(
  call: Call,
  services: Services,
  produced: Extract<Produced, { ok: false }>,
): Maybe<Finished> {
  const failed = withAdvice(call, services, produced.failure)
  const output =
    produced.output === undefined ? nothing : ownOutput(call, services, produced.output)
  const settle = (message: Failure): Maybe<Finished> => {
    const done = capped(call, services, output)
    const add = (shaped: Capped): Finished => ({ ...shaped, failure: message })
    return isPromise(done) ? done.then(add) : add(done)
  }
  if (!isErrorOfATool(call, failed) || !services.bus.has('tool_error')) return settle(failed)
  const outcome = services.bus.fire(
    'tool_error',
    payloadWith(call, services, { error: Object.freeze(errorOf(failed)) }),
    {
      ...aboutCall(call, services),
      frozen: true,
      apply: (payload, change) =>
        payloadWith(call, services, {
          error: Object.freeze({ ...payload.error, ...readErrorChange(change as object) }),
        }),
    },
  )
  const read = (done: Awaited<typeof outcome>): Maybe<Finished> => {
    if (done.trace.length > 0) call.notes.push(new HookNote('tool_error', done.trace))
    if (done.withheldBy !== undefined) return withheld(done.withheldBy.hook)
    const { message, hint } = done.payload.error
    return settle({ ...failed, message, ...(hint === undefined ? {} : { hint }) })
  }
  return isPromiseLike(outcome)
    ? orStopped(
        outcome.then(read),
        call.stop,
        () => ({ ...nothing, failure: failed }),
        graceOf(services),
      )
    : read(outcome)
}

/** Also one of a tool that did not run: arguments that do not fit, a limit. A refusal is no error (R4.2). */
function isErrorOfATool({ entry }: Call, { code }: Failure): boolean {
  return entry !== undefined && errorCodes[code].result === 'error'
}

function readErrorChange(change: object): { message?: string; hint?: string } {
  checkFields(change, 'message', 'hint')
  const { message, hint } = change as { message?: unknown; hint?: unknown }
  if (message !== undefined && typeof message !== 'string')
    throw new TypeError('modify.message must be text')
  if (hint !== undefined && typeof hint !== 'string')
    throw new TypeError('modify.hint must be text')
  return { ...(message === undefined ? {} : { message }), ...(hint === undefined ? {} : { hint }) }
}
