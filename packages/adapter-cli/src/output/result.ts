import { ToolError, type AdapterOutput, type ContentPart } from '@callgate/spec'

import type { ExitMeaning } from '../backend.ts'
import type { RunPlan } from '../declare/plan.ts'
import type { RunEnd, Stream } from '../process/request.ts'
import type { CollectedOutput } from './collector.ts'
import { decodeCaptured } from './decode.ts'
import { lastText } from './last-text.ts'

export type Outputs = { readonly [stream in Stream]: CollectedOutput }
type Exited = Extract<RunEnd, { kind: 'exited' }>

/** The `data` of a result: what a program did (R8.1). */
export interface CliResult {
  /** Undefined when a signal ended it. */
  readonly exitCode?: number
  readonly signal?: string
  /** Cut in the middle when longer than 1 MiB. */
  readonly stdout: string
  readonly stderr: string
  /** Milliseconds from start to exit, the drain of outputs included. */
  readonly durationMs: number
  /** Processes that outlived the program and were ended. */
  readonly leftovers?: number
  /** Where the whole of an output is that was cut, or that is no text, as far as `spill` and the store go. */
  readonly blobs?: { readonly [stream in Stream]?: string }
}

/** What of a run stands in a result. */
export function resultOf(plan: RunPlan, end: Exited, outputs: Outputs): AdapterOutput {
  const stdout = textOf('stdout', outputs.stdout, plan.encoding)
  const stderr = textOf('stderr', outputs.stderr, plan.encoding)
  const data: CliResult = {
    ...(end.exitCode === undefined ? {} : { exitCode: end.exitCode }),
    ...(end.signal === undefined ? {} : { signal: end.signal }),
    stdout: stdout.text,
    stderr: stderr.text,
    durationMs: Math.round(end.durationMs),
    ...(end.leftovers === 0 ? {} : { leftovers: end.leftovers }),
    ...blobsOf(outputs),
  }
  const meaning = meaningOf(plan, end)
  const succeeded = hasSucceeded(plan, end)
  return {
    data,
    content: contentOf(data, succeeded, meaning?.message),
    ...(succeeded ? {} : { isError: true }),
    metadata: {
      isolation: plan.isolation,
      ...truncationOf(outputs, stdout.omittedBytes + stderr.omittedBytes),
      ...(stdout.isLossy || stderr.isLossy ? { notText: true } : {}),
    },
  }
}

/**
 * Throws where the exit code of a program means an error of its own (B16).
 *
 * @throws ToolError with the declared code.
 */
export function throwOnMeaning(plan: RunPlan, end: Exited, outputs: Outputs): void {
  const { error, message } = meaningOf(plan, end) ?? {}
  if (error === undefined) return
  const didNothing = error === 'rate_limited' || error === 'backend_unavailable'
  const { stdout, stderr } = partialOutput(outputs, plan.encoding)
  const said = `exit code ${end.exitCode}${reasonIn(textOf('stderr', outputs.stderr, plan.encoding).text)}`
  throw new ToolError({
    code: error,
    rule: 'exit-code',
    message: message ?? said,
    started: didNothing ? 'no' : 'yes',
    backend: { code: end.exitCode ?? 0, data: { stdout, stderr } },
  })
}

function meaningOf({ exitCodes }: RunPlan, { exitCode }: Exited): ExitMeaning | undefined {
  return exitCode !== undefined && Object.hasOwn(exitCodes, exitCode)
    ? exitCodes[exitCode]
    : undefined
}

/** A declared meaning without an error is success. */
function hasSucceeded(plan: RunPlan, end: Exited): boolean {
  const { exitCode } = end
  if (exitCode === undefined) return false
  return plan.successCodes.includes(exitCode) || meaningOf(plan, end) !== undefined
}

/**
 * Throws when a limit of the tool ended the program, each with a rule of its own (B12, B16).
 *
 * @throws ToolError `tool_failed`.
 */
export function throwOnLimit(plan: RunPlan, end: Exited, outputs: Outputs): void {
  const signal = end.signal ?? signalOfCode(end.exitCode)
  const { cpuSeconds, fileBytes } = plan.limits
  const breach =
    signal === 'SIGXCPU' && cpuSeconds !== undefined
      ? { rule: 'limit-cpu', limit: `${cpuSeconds} s of processor time` }
      : signal === 'SIGXFSZ' && fileBytes !== undefined
        ? { rule: 'limit-file-size', limit: `files of ${fileBytes} bytes` }
        : end.hitProcessLimit && !hasSucceeded(plan, end)
          ? { rule: 'limit-processes', limit: `${plan.limits.processes} processes` }
          : undefined
  if (breach === undefined) return
  throw new ToolError({
    code: 'tool_failed',
    rule: breach.rule,
    message: `The program was ended: it is limited to ${breach.limit}.`,
    // It may have done a part of its work.
    started: 'unknown',
    backend: { data: partialOutput(outputs, plan.encoding) },
  })
}

/** The ends of both outputs, for a call that has no result. */
export function partialOutput(
  outputs: Outputs,
  encoding: string,
): { readonly [stream in Stream]: string } {
  const last = (stream: Stream): string =>
    lastText(textOf(stream, outputs[stream], encoding).text, 2000)
  return { stdout: last('stdout'), stderr: last('stderr') }
}

/** The first line of what a program wrote to standard error. */
function reasonIn(stderr: string): string {
  const [reason = ''] = stderr.trim().split(/\r?\n/, 1)
  return reason === '' ? '' : `: ${reason}`
}

/** A sandbox or a shell reports a signal as an exit code. */
function signalOfCode(code: number | undefined): string | undefined {
  return code === 128 + 24 ? 'SIGXCPU' : code === 128 + 25 ? 'SIGXFSZ' : undefined
}

function textOf(
  stream: Stream,
  { captured, blobId, blobBytes }: CollectedOutput,
  encoding: string,
): ReturnType<typeof decodeCaptured> {
  return decodeCaptured(captured, encoding, (bytes) => {
    const part =
      blobBytes < captured.totalBytes ? `its first ${blobBytes} bytes are` : 'the whole is'
    const where = blobId === undefined ? '' : `; ${part} blob ${blobId}`
    return `[… ${bytes} bytes of ${stream} left out${where} …]`
  })
}

function blobsOf({ stdout, stderr }: Outputs): Pick<CliResult, 'blobs'> {
  if (stdout.blobId === undefined && stderr.blobId === undefined) return {}
  return {
    blobs: {
      ...(stdout.blobId === undefined ? {} : { stdout: stdout.blobId }),
      ...(stderr.blobId === undefined ? {} : { stderr: stderr.blobId }),
    },
  }
}

/** For a failure the first part is one line that says what went wrong: it becomes the message of the error. */
function contentOf(
  data: CliResult,
  succeeded: boolean,
  meaning: string | undefined,
): readonly ContentPart[] {
  const ended =
    data.signal === undefined ? `exit code ${data.exitCode}` : `ended by the signal ${data.signal}`
  const outputs = [data.stdout, data.stderr === '' ? '' : `stderr:\n${data.stderr}`]
  const parts = outputs
    .filter((text) => text !== '')
    .map((text): ContentPart => ({ type: 'text', text }))
  if (!succeeded) {
    return [{ type: 'text', text: ended + reasonIn(data.stderr) }, ...parts]
  }
  if (meaning !== undefined) return [...parts, { type: 'text', text: meaning }]
  return parts.length > 0 ? parts : [{ type: 'text', text: `No output, ${ended}.` }]
}

function truncationOf(outputs: Outputs, omittedBytes: number): { readonly truncated?: object } {
  if (omittedBytes === 0) return {}
  const totalBytes = outputs.stdout.captured.totalBytes + outputs.stderr.captured.totalBytes
  const blobId = outputs.stdout.blobId ?? outputs.stderr.blobId
  return {
    truncated: {
      keptBytes: totalBytes - omittedBytes,
      totalBytes,
      ...(blobId === undefined ? {} : { blobId }),
    },
  }
}
