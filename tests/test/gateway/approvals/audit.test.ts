import { createGateway, memoryAudit } from '@callgate/core'
import type { ApprovalDecision } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { call, send, store } from './support.ts'

interface Entry {
  readonly status: string
  readonly ticketId?: string
  readonly arguments: unknown
  readonly originalArguments?: unknown
  readonly notes?: readonly object[]
}

type Answers = readonly ApprovalDecision[]

const entriesOf = (audit: ReturnType<typeof memoryAudit>) => audit.entries() as readonly Entry[]

/** The person is asked by an approver, while the call waits. */
async function answeredAtOnce(answers: Answers): Promise<readonly Entry[]> {
  const audit = memoryAudit()
  const left = [...answers]
  const gateway = createGateway({
    tools: [send()],
    approver: async () => left.shift()!,
    ports: { audit },
  })
  await gateway.dispatch(call)
  return entriesOf(audit)
}

/** The call ends pending, and the person answers its ticket. */
async function answeredLater(answers: Answers): Promise<readonly Entry[]> {
  const audit = memoryAudit()
  const gateway = createGateway({ tools: [send()], ports: { audit, approvals: store() } })
  let { ticketId } = (await gateway.dispatch(call)).metadata
  for (const answer of answers) ({ ticketId } = (await gateway.resume(ticketId!, answer)).metadata)
  return entriesOf(audit)
}

const notesOf = (entries: readonly Entry[]) => entries.flatMap(({ notes = [] }) => notes)

describe('what a person decided (R9.5)', () => {
  const aTicket = expect.stringMatching(/^ticket/) as string
  const approved = { layer: 3, decision: 'approve', ticketId: aTicket }
  const answers: readonly [said: Answers, notes: readonly object[]][] = [
    [[{ decision: 'approve' }], [approved]],
    [
      [{ decision: 'deny', reason: 'not now' }],
      [{ layer: 3, decision: 'deny', ticketId: aTicket }],
    ],
    [
      [{ decision: 'edit', arguments: { to: 'b', token: 'hush' } }, { decision: 'approve' }],
      [
        { layer: 3, decision: 'edit', ticketId: aTicket },
        { layer: 3, edited: { to: 'b', token: '[redacted]' } },
        approved,
      ],
    ],
  ]

  it.each(answers)(
    'is noted alike, whether the call waited or was put aside: %j',
    async (said, notes) => {
      expect(notesOf(await answeredAtOnce(said))).toEqual(notes)
      expect(notesOf(await answeredLater(said))).toEqual(notes)
    },
  )

  it.each(['approve', 'deny'] as const)('stands with its ticket: %s', async (decision) => {
    const [asked, answered] = await answeredLater([{ decision }])
    const { ticketId } = asked!
    expect(asked).toMatchObject({ status: 'pending', ticketId: aTicket })
    expect(answered).toMatchObject({
      status: decision === 'approve' ? 'ok' : 'denied',
      ticketId,
      notes: [{ layer: 3, decision, ticketId }],
    })
  })

  it('keeps the arguments that a person changed', async () => {
    const said: Answers = [{ decision: 'edit', arguments: { to: 'b' } }]
    const changed = { arguments: { to: 'b' }, originalArguments: { to: 'a' } }
    expect((await answeredLater(said)).at(-1)).toMatchObject(changed)
    expect((await answeredAtOnce([...said, { decision: 'approve' }])).at(-1)).toMatchObject(changed)
  })

  it('keeps the text of a person that cannot be read', async () => {
    const said: Answers = [{ decision: 'edit', arguments: '{"to":' as never }]
    expect((await answeredAtOnce(said)).at(-1)).toMatchObject({
      code: 'malformed_call',
      arguments: '{"to":',
      originalArguments: { to: 'a' },
    })
  })

  it('is no decision about what somebody else put in its place', async () => {
    const audit = memoryAudit()
    const approvals = store()
    const gateway = createGateway({ tools: [send()], ports: { audit, approvals } })
    const ticketId = (await gateway.dispatch(call)).metadata.ticketId!
    const request = JSON.parse(approvals.kept.get(ticketId)!) as object
    approvals.kept.set(ticketId, JSON.stringify({ ...request, arguments: { to: 'b' } }))
    await gateway.resume(ticketId, { decision: 'approve' })
    const answered = entriesOf(audit).at(-1)!
    expect(answered).toMatchObject({ status: 'denied', ticketId, rule: 'ticket' })
    expect(answered.notes).toBeUndefined()
  })
})
