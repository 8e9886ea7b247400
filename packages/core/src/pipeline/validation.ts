import { parseArguments, type Coercion } from '@callgate/coercion'
import type { FieldFault, Repair } from '@callgate/spec'

import type { ToolEntry } from '../registry/tool-entry.ts'
import { copyJson } from '../results/copy-json.ts'
import { failure, type Failure } from '../results/failure.ts'
import { freezeOwn } from '../results/freeze-own.ts'
import { isThrown } from '../results/thrown.ts'
import { unreadable, type Unreadable } from '../results/unreadable.ts'
import { bounded, GivenUp, type Bounds } from '../turn/or-stopped.ts'
import type { Call } from './call.ts'
import { timeLeft } from './execution.ts'
import { isPromise, isPromiseLike, type Maybe } from './maybe.ts'
import type { Services } from './services.ts'

/** Step 4, first half: parse, unrename, coerce, validate (R3). Leaves frozen arguments on the call. */
export function validate(call: Call, services: Services): Maybe<Failure | undefined> {
  const entry = call.entry!
  if (call.approved !== undefined && entry.refine !== undefined) {
    // What a person approved is the output of the schema, which need not take it in again; its digest is compared.
    const parsed = parse(call.rawArguments)
    return parsed.ok ? accept(call, asApproved(parsed.value)) : parsed.failure
  }
  // A fallback, or a person's answer, is checked after another tool or other arguments.
  call.checked = false
  call.repairs = noRepairs
  const read = coerce(entry, call.rawArguments)
  if (!read.ok) return read.failure
  call.checked = true
  call.arguments = freezeOwn(read.coercion.value)
  call.repairs = read.coercion.repairs
  const checked = refine(entry, read.coercion)
  return isPromise(checked)
    ? bounded(checked, boundsOf(call, services)).then(accepting(call), notChecked)
    : accept(call, checked)
}

function asApproved(value: unknown): Checked {
  const args = typeof value === 'object' && value !== null ? value : {}
  return { ok: true, input: args, value: args, repairs: noRepairs }
}

/** A schema that answers later has as long as the tool, within the deadline: it must not hold a call for ever, nor after a stop. */
export function boundsOf(call: Call, services: Services): Bounds {
  const { entry, stop } = call
  const ms = timeLeft(call, services)
  return { what: `the schema of ${entry!.id}`, ms, clock: services.ports.clock, stop }
}

/** @throws what is no giving up: a schema that throws is at fault, and its text is for the operator. */
function notChecked(error: unknown): Failure {
  if (!isThrown(error, GivenUp)) throw error
  return error.why === 'stopped'
    ? failure('cancelled', 'The call was stopped before it started.')
    : failure('timeout', `The arguments could not be checked: ${error.message}.`)
}

const accepting =
  (call: Call) =>
  (checked: Checked): Failure | undefined =>
    accept(call, checked)

function accept(call: Call, checked: Checked): Failure | undefined {
  call.checked = true
  call.repairs = checked.repairs
  if (!checked.ok) {
    call.arguments = freezeOwn(checked.input)
    return invalidArguments(call, checked.errors)
  }
  call.inputArguments = checked.input
  call.arguments = freezeOwn(checked.value)
  return undefined
}

/** Why arguments do not fit a tool; undefined where they do. Rejects as the schema does. */
export async function faultOfArguments(
  entry: ToolEntry,
  raw: unknown,
): Promise<Failure | undefined> {
  const read = coerce(entry, raw)
  if (!read.ok) return read.failure
  const checked = await refine(entry, read.coercion)
  return checked.ok ? undefined : invalidArguments({ name: entry.id }, checked.errors)
}

export type Checked =
  | {
      readonly ok: true
      readonly input: object
      readonly value: object
      readonly repairs: readonly Repair[]
    }
  | {
      readonly ok: false
      readonly input: unknown
      readonly errors: readonly FieldFault[]
      readonly repairs: readonly Repair[]
    }

/** Coerces and validates arguments against a tool's schema, and lets a Standard Schema make its output of them. */
export function check(entry: ToolEntry, args: unknown): Maybe<Checked> {
  return refine(entry, entry.coercer().coerce(args))
}

function coerce(
  entry: ToolEntry,
  raw: unknown,
): { readonly ok: true; readonly coercion: Coercion } | Unread {
  const coercer = entry.coercer()
  if (typeof raw !== 'string') {
    const parsed = parse(raw)
    return parsed.ok ? { ok: true, coercion: coercer.coerce(parsed.value) } : parsed
  }
  const coercion = coercer.coerceText(raw)
  return coercion.fault ? unread(coercion.fault) : { ok: true, coercion }
}

function refine(entry: ToolEntry, { value, valid, errors, repairs }: Coercion): Maybe<Checked> {
  if (!valid) return { ok: false, input: value, errors, repairs }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const got = Array.isArray(value) ? 'a list' : value === null ? 'null' : typeof value
    const fault = { path: '', constraint: 'type', got, expected: 'an object of named arguments' }
    return { ok: false, input: value, errors: [fault], repairs }
  }
  if (entry.refine === undefined) return { ok: true, input: value, value, repairs }
  // A schema may change what it is given, also when nobody waits for it any more.
  const given = copyJson(value)
  if (!given.ok) return notJson(value, repairs, given.reason)
  const refined = entry.refine(given.value as object)
  const read = (settled: Awaited<typeof refined>): Checked => {
    if (!settled.ok) return { ok: false, input: value, errors: settled.errors, repairs }
    const copied = copyJson(settled.value)
    if (copied.ok && typeof copied.value === 'object' && copied.value !== null) {
      return { ok: true, input: value, value: copied.value, repairs }
    }
    return notJson(value, repairs, copied.ok ? typeof copied.value : copied.reason)
  }
  return isPromiseLike(refined) ? refined.then(read) : read(refined)
}

function notJson(input: unknown, repairs: readonly Repair[], got: string): Checked {
  const expected = 'what the schema takes and makes of the arguments to be JSON'
  return { ok: false, input, errors: [{ path: '', constraint: 'json', got, expected }], repairs }
}

/** What hooks and audit get of arguments that were never validated: the value if it can be read, else the text. */
export function readableArguments(raw: unknown): unknown {
  const parsed = parse(raw)
  if (parsed.ok) return freezeOwn(parsed.value)
  return typeof raw === 'string' ? raw : null
}

interface Unread {
  readonly ok: false
  readonly failure: Failure
}

function unread(fault: Unreadable): Unread {
  return { ok: false, failure: unreadable('The arguments', fault) }
}

const noRepairs: readonly Repair[] = []

function parse(
  raw: unknown,
): { readonly ok: true; readonly value: unknown; readonly repairs: readonly Repair[] } | Unread {
  if (raw === undefined || raw === null) return { ok: true, value: {}, repairs: noRepairs }
  if (typeof raw === 'string') {
    const parsed = parseArguments(raw)
    return parsed.ok ? parsed : unread(parsed.fault)
  }
  // A copy: what the caller holds is neither frozen nor changed by us.
  const copied = copyJson(raw)
  if (copied.ok) return { ok: true, value: copied.value, repairs: noRepairs }
  return unread({ kind: 'not JSON', message: copied.reason })
}

/** The error of R10.2, parameter level: names each field, what came, and what fits. */
export function invalidArguments(call: Pick<Call, 'name'>, errors: readonly FieldFault[]): Failure {
  const described = errors.slice(0, 5).map(describe)
  const more = errors.length > 5 ? ` (and ${errors.length - 5} more)` : ''
  return failure(
    'invalid_arguments',
    `The arguments of ${call.name} do not fit its schema: ${described.join('; ')}${more}.`,
    { fields: errors, hint: hintFor(errors) },
  )
}

function describe({ path, constraint, got, expected, suggestion }: FieldFault): string {
  // What is expected names a field that is missing.
  const nearest = suggestion === undefined || constraint === 'required' ? '' : ` (${suggestion})`
  return `${path === '' ? 'the arguments' : path}: got ${got}, expected ${expected}${nearest}`
}

function hintFor(errors: readonly FieldFault[]): string {
  const fields = [...new Set(errors.map(({ path }) => path).filter((path) => path !== ''))]
  return fields.length === 0
    ? 'Send the call again with arguments that fit.'
    : `Send the call again with ${fields.slice(0, 5).join(', ')} corrected; leave the rest as it is.`
}
