import type { AdapterOutput, ContentPart } from '@callgate/spec'

import { faultOfSuccess } from '../host/judge.ts'
import { withRunning } from '../host/running.ts'
import { check, fail } from '../measure/expect.ts'
import type { Check } from './check.ts'

const capBytes = 1024 * 1024

export const large: Check = {
  name: 'large',
  title: 'large output, if a fixture shows some, goes to a blob or stays under 1 MiB',
  async run(subject) {
    const { large: fixture } = subject.options.fixtures
    if (fixture === undefined) return
    await withRunning(subject, async ({ call }) => {
      const run = call(fixture)
      const outcome = await run.outcome
      const fault = faultOfSuccess(fixture, outcome)
      if (fault !== undefined) fail(fault)
      const bytes = outcome.ok ? bytesOf(outcome.output) : 0
      check(
        bytes <= capBytes,
        `The output holds ${bytes} bytes; what is above ${capBytes} belongs into context.blob.`,
      )
      const open = run.blobs.filter((blob) => !blob.closed)
      check(open.length === 0, `${open.length} blob(s) were opened and not closed.`)
    })
  },
}

/** Data and content may say the same twice; the longer of the two counts. */
function bytesOf({ data, content = [] }: AdapterOutput): number {
  const parts = content.reduce((sum, part) => sum + partBytes(part), 0)
  return Math.max(parts, data === undefined ? 0 : byteLength(JSON.stringify(data)))
}

function partBytes(part: ContentPart): number {
  if (part.type === 'text') return byteLength(part.text)
  if (part.type === 'resource') return byteLength(part.text ?? '') + (part.data?.byteLength ?? 0)
  return part.type === 'resource_link' ? 0 : part.data.byteLength
}

const byteLength = (text: string): number => new TextEncoder().encode(text).byteLength
