import { isRecord } from '../is-record.ts'
import { withMessage, type GateDecision, type Verdict } from './decision.ts'
import { exitFault, type CommandFault, type Dialect } from './dialect.ts'
import { parseObject, type Json } from './json.ts'
import { payloadText } from './payload.ts'
import { plainName } from './tool-names.ts'

/**
 * Hooks written for Claude Code and Hermes. Exit code 2 blocks, with the reason in the JSON on stdout or else stderr;
 * exit code 0 says what its JSON says, or nothing. Every other end is a failure, and so is JSON that is broken or says
 * what nobody knows.
 */
export const exitCodeDialect: Dialect = {
  input: (payload, { event, cwd }) =>
    payloadText({
      hook_event_name: event,
      tool_name: plainName(payload.tool ?? ''),
      tool_input: payload.arguments ?? {},
      tool_use_id: payload.callId ?? '',
      session_id: payload.sessionId ?? '',
      cwd: cwd ?? process.cwd(),
    }),
  verdict(end) {
    if (end.code === 2) {
      const reason = reasonOf(objectIn(end.stdout) ?? {}) ?? end.stderr
      return { decision: { action: 'block', ...withMessage(short(reason)) } }
    }
    if (end.code !== 0) return exitFault(end)
    const answer = objectIn(end.stdout)
    if (answer !== undefined) return read(answer)
    return objectStart(end.stdout) === -1 ? {} : { fault: 'wrote broken JSON to stdout' }
  },
}

const messageLimit = 400

function short(reason: string): string {
  // Not through the middle of a character: half of one is refused by readers of JSON.
  return reason
    .trim()
    .slice(0, messageLimit)
    .replace(/[\uD800-\uDBFF]$/, '')
}

/** The JSON object that stdout is or ends with: the profile of a shell may have printed before it. */
function objectIn(stdout: string): Json | undefined {
  const whole = parseObject(stdout)
  const start = objectStart(stdout)
  return whole ?? (start === -1 ? undefined : parseObject(stdout.slice(start)))
}

function objectStart(stdout: string): number {
  return stdout.search(/^[ \t]*\{/m)
}

function reasonOf(answer: Json): string | undefined {
  return textOf(
    specificOf(answer)['permissionDecisionReason'],
    answer['reason'],
    answer['message'],
    answer['stopReason'],
  )
}

function textOf(...candidates: readonly unknown[]): string | undefined {
  return candidates.find((each): each is string => typeof each === 'string' && each.trim() !== '')
}

function specificOf(answer: Json): Json {
  const specific = answer['hookSpecificOutput']
  return isRecord(specific) ? specific : {}
}

type Action = GateDecision['action']
type Words = { readonly [word: string]: Action | 'none' }

const common: Words = { allow: 'allow', ask: 'ask', block: 'block', deny: 'block', modify: 'none' }

/**
 * The words of the three ways to decide. `approve` lets the call run where Claude Code says it and asks a human where
 * Hermes does; `defer` leaves the call to somebody who decides later, which is what `ask` does here.
 */
const specificWords: Words = { ...common, defer: 'ask' }
const decisionWords: Words = { ...common, approve: 'allow' }
const actionWords: Words = { ...common, approve: 'ask' }

const strictness = { none: 0, allow: 1, ask: 2, block: 3 }

/** An answer may speak several ways at once: the strictest decision counts. */
function read(answer: Json): Verdict | CommandFault {
  let strictest: Action | 'none' = answer['continue'] === false ? 'block' : 'none'
  for (const said of [
    meaning(specificOf(answer)['permissionDecision'], specificWords),
    meaning(answer['decision'], decisionWords),
    meaning(answer['action'], actionWords),
  ]) {
    if (said === undefined) return { fault: 'answered with a decision that nobody knows' }
    if (strictness[said] > strictness[strictest]) strictest = said
  }
  const change = changeOf(answer)
  if (change === 'malformed') return { fault: 'answered with arguments that are no object' }
  return {
    ...(strictest === 'none' ? {} : { decision: decisionOf(strictest, answer) }),
    ...(change === undefined ? {} : { change }),
  }
}

/** undefined for a word that is not known. */
function meaning(word: unknown, words: Words): Action | 'none' | undefined {
  if (word === undefined || word === null) return 'none'
  return typeof word === 'string' && Object.hasOwn(words, word) ? words[word] : undefined
}

function decisionOf(action: Action, answer: Json): GateDecision {
  if (action === 'allow') return { action }
  const message = withMessage(short(reasonOf(answer) ?? ''))
  const rule = textOf(answer['rule_key'], answer['rule'])
  if (action === 'block') return { action, ...message }
  return { action, ...message, ...(rule === undefined ? {} : { rule }) }
}

/** Claude Code replaces the whole input; Hermes lays keys over it. */
function changeOf(answer: Json): Verdict['change'] | 'malformed' {
  const updated = specificOf(answer)['updatedInput'] ?? undefined
  const args = updated ?? answer['args'] ?? answer['tool_input'] ?? undefined
  if (args === undefined) return undefined
  return isRecord(args) ? { args, whole: updated !== undefined } : 'malformed'
}
