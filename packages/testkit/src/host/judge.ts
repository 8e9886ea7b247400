import { ToolError, type AdapterOutput } from '@callgate/spec'

import { show } from '../measure/expect.ts'
import { mismatch } from '../measure/matches.ts'
import type { Fixture } from '../suite/options.ts'
import type { Outcome } from './invocation.ts'
import { faultOfOutput } from './shapes.ts'

/** What is wrong with the outcome of a fixture that should succeed; undefined for nothing. */
export function faultOfSuccess(fixture: Fixture, outcome: Outcome): string | undefined {
  if (!outcome.ok) return `"${fixture.tool}" should succeed, but threw ${show(outcome.error)}.`
  const malformed = faultOfOutput(fixture.tool, outcome.output)
  if (malformed !== undefined) return malformed
  if (outcome.output.isError === true) {
    return `"${fixture.tool}" should succeed, but gave isError with ${show(valueOf(outcome.output))}.`
  }
  return differs(fixture, valueOf(outcome.output))
}

/** What is wrong with the outcome of a fixture that should fail; undefined for nothing. */
export function faultOfFailure(fixture: Fixture, outcome: Outcome): string | undefined {
  if (!outcome.ok) return differs(fixture, errorView(outcome.error))
  const malformed = faultOfOutput(fixture.tool, outcome.output)
  if (malformed !== undefined) return malformed
  if (outcome.output.isError !== true) {
    return `"${fixture.tool}" should fail, but succeeded: neither isError nor a ToolError.`
  }
  return differs(fixture, failedView(outcome.output))
}

function differs(fixture: Fixture, found: unknown): string | undefined {
  if (fixture.expect === undefined) return undefined
  const place = mismatch(found, fixture.expect)
  if (place === undefined) return undefined
  return `"${fixture.tool}" gave ${show(found)}, which is not as expected at ${place}.`
}

/** The data of an output, or its text where there is none. */
function valueOf(output: AdapterOutput): unknown {
  return output.data === undefined ? textOf(output) : output.data
}

function failedView(output: AdapterOutput): object {
  return { data: output.data, text: textOf(output) }
}

function errorView(error: unknown): unknown {
  if (!ToolError.isInstance(error)) return error
  const { code, message, rule, started } = error
  return { code, message, rule, started }
}

function textOf({ content = [] }: AdapterOutput): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}
