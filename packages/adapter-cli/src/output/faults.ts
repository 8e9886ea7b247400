import { ToolError, type ErrorCode } from '@callgate/spec'

import type { RunPlan } from '../declare/plan.ts'
import type { RunEnd, RunFault } from '../process/request.ts'

type Refused = Extract<RunEnd, { kind: 'refused' }>

interface FaultText {
  readonly code: ErrorCode
  readonly rule: string
  readonly message: (program: string) => string
}

function unavailable(rule: string, message: (program: string) => string): FaultText {
  return { code: 'backend_unavailable', rule, message }
}

const faultTexts: { readonly [fault in RunFault]: FaultText } = {
  missing: unavailable('program-missing', (name) => `The program ${name} is not there.`),
  changed: {
    code: 'guard_refused',
    rule: 'program-changed',
    message: (name) => `The program ${name} is not the file that was registered.`,
  },
  'working-dir': unavailable('working-dir', () => 'The working directory of the tool is gone.'),
  'too-long': {
    code: 'guard_refused',
    rule: 'length',
    message: () => 'The arguments are too long for this system; shorten them.',
  },
  'not-permitted': unavailable('not-permitted', (name) => `The gateway may not run ${name}.`),
  sandbox: unavailable('sandbox-unavailable', (name) => `The sandbox for ${name} did not start.`),
  cgroup: unavailable(
    'cgroup-unavailable',
    (name) => `The control group for ${name} could not be made.`,
  ),
  system: unavailable('spawn-failed', (name) => `The system could not start ${name}.`),
}

/** Nothing ran. */
export function refusedError(plan: RunPlan, { fault, detail }: Refused): ToolError {
  const { code, rule, message } = faultTexts[fault]
  return new ToolError({
    code,
    rule,
    message: message(plan.program.name),
    started: 'no',
    cause: detail,
  })
}

/** The process that ran the program died. */
export function lostError(): ToolError {
  return new ToolError({
    code: 'outcome_unknown',
    rule: 'runner-lost',
    message: 'The process that ran the program died; what the program did is not known.',
    started: 'unknown',
  })
}

/** The caller's signal fired: a time limit, or somebody stopped the call. */
export function abortedError(
  signal: AbortSignal,
  started: 'no' | 'unknown',
  partialOutput?: object,
): ToolError {
  const reason: unknown = signal.reason
  const isTimeout = reason instanceof Error && reason.name === 'TimeoutError'
  return new ToolError({
    code: isTimeout ? 'timeout' : 'cancelled',
    message: isTimeout ? 'The program took too long and was ended.' : 'The program was ended.',
    started,
    cause: reason,
    ...(partialOutput === undefined ? {} : { backend: { data: partialOutput } }),
  })
}

/** An output was longer than the tool allows (B9). */
export function overflowError(plan: RunPlan, partialOutput: object): ToolError {
  return new ToolError({
    code: 'tool_failed',
    rule: 'limit-output',
    message: `The program was ended: it wrote more than ${plan.maxOutputBytes} bytes.`,
    started: 'unknown',
    backend: { data: partialOutput },
  })
}
