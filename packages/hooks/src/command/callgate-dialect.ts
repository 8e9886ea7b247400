import { isRecord } from '../is-record.ts'
import { withMessage, type Verdict } from './decision.ts'
import { exitFault, type CommandFault, type Dialect } from './dialect.ts'
import { parseObject, type Json } from './json.ts'
import { payloadText } from './payload.ts'

/**
 * Callgate's own JSON. A decision counts only in a clean exit and with the nonce that the command was given: whatever
 * a crash, a missing script or a stray print leaves on stdout is no decision.
 */
export const callgateDialect: Dialect = {
  input: (payload, { kind, event }, nonce) =>
    payloadText({ ...payload, hook: 1, kind, event, nonce }),
  verdict(end, nonce) {
    if (end.code !== 0) return exitFault(end)
    const answer = parseObject(end.stdout)
    if (answer === undefined) return { fault: 'wrote no single JSON object to stdout' }
    if (answer['nonce'] !== nonce) return { fault: 'answered without the nonce it was given' }
    // What was meant as a decision must not be taken for none: null says that there is none, and nothing else does.
    const stray = strayOf(answer, ['nonce', 'decision'])
    if (stray !== undefined) return { fault: `answered with "${stray}" beside nonce and decision` }
    const { decision } = answer
    if (decision === null) return {}
    return isRecord(decision) ? read(decision) : unknownDecision
  },
}

const unknownDecision: CommandFault = {
  fault: 'answered with a decision that is none of allow, block, ask and modify',
}

function strayOf(answer: Json, fields: readonly string[]): string | undefined {
  return Object.keys(answer).find((key) => !fields.includes(key))
}

const gateFields = ['action', 'message', 'rule']
const changeFields = ['action', 'args', 'set', 'remove']

function read(decision: Json): Verdict | CommandFault {
  const { action, message, rule } = decision
  const fields = action === 'modify' ? changeFields : gateFields
  // A block blocks all the same, also where failures of the command do not.
  const stray = action === 'block' ? undefined : strayOf(decision, fields)
  if (stray !== undefined) {
    return { fault: `answered with "${stray}" in a decision that holds ${fields.join(', ')}` }
  }
  switch (action) {
    case 'allow':
      return { decision: { action } }
    case 'block':
      return { decision: { action, ...withMessage(message) } }
    case 'ask':
      return {
        decision: {
          action,
          ...withMessage(message),
          ...(typeof rule === 'string' ? { rule } : {}),
        },
      }
    case 'modify':
      return readChange(decision)
    default:
      return unknownDecision
  }
}

function readChange({ args, set, remove }: Json): Verdict | CommandFault {
  const fits =
    (args === undefined || isRecord(args)) &&
    (set === undefined || isRecord(set)) &&
    (remove === undefined || isTexts(remove))
  if (!fits) return { fault: 'answered with a change that is not {args, set, remove}' }
  return {
    change: {
      ...(args === undefined ? {} : { args }),
      ...(set === undefined ? {} : { set }),
      ...(remove === undefined ? {} : { remove }),
    },
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
