import { errorCodes, type Ports, type ToolDefinition } from '@callgate/spec'

import type { Failure } from '../results/failure.ts'

/**
 * How long to wait before the next attempt, in milliseconds; undefined where there must be none (R10.1).
 *
 * Only a retryable fault is tried again, and only when nothing ran or the tool declares that running twice does no
 * harm. Jitter takes up to half of the wait away. Nothing waits longer than `longestMs`, or than the first wait that the
 * tool declares: a backend that asks for more is not tried again, and the failure says when it may be.
 */
export function retryDelay(
  tool: ToolDefinition,
  failed: Failure,
  attempts: number,
  random: Ports['random'],
  longestMs: number,
): number | undefined {
  const { retry } = tool
  if (retry === undefined || attempts > retry.maxRetries || !isRetryable(retry, failed))
    return undefined
  const harmless = tool.effects?.readOnly === true || tool.effects?.idempotent === true
  if (failed.started !== 'no' && !harmless) return undefined
  const factor = { fixed: 1, linear: attempts, exponential: 2 ** (attempts - 1) }[retry.backoff]
  const wait = retry.initialDelayMs * factor * (1 - random.next() / 2)
  // What the tool itself declares is never too long.
  const most = Math.max(longestMs, retry.initialDelayMs)
  const asked = failed.retryAfterMs ?? 0
  return asked > most ? undefined : Math.max(Math.min(wait, most), asked)
}

function isRetryable(retry: NonNullable<ToolDefinition['retry']>, failed: Failure): boolean {
  return retry.retryable === undefined
    ? errorCodes[failed.code].retryable
    : retry.retryable.includes(failed.code)
}
