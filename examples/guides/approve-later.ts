import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createGateway, defineTool } from '@callgate/core'

import { fileApprovals } from './file-approvals.ts'

// Started without arguments this is the program that calls; with them, the one in which a person answers.
const [folder = mkdtempSync(join(tmpdir(), 'approvals-')), ticket] = process.argv.slice(2)

const pay = defineTool({
  namespace: 'bank',
  name: 'pay',
  description: 'Pays a bill.',
  parameters: { type: 'object', properties: { euros: { type: 'number' } }, required: ['euros'] },
  confirm: true,
  confirmMessage: 'Pay {euros} euros?',
  execute: ({ euros }) => `paid ${String(euros)}`,
})
const gateway = createGateway({
  tools: [pay],
  ports: { approvals: fileApprovals(folder) },
  ticketKey: process.env['TICKET_KEY'] ?? 'the same secret in all programs',
})

if (ticket === undefined) {
  const waiting = await gateway.dispatch({ name: 'bank::pay', arguments: { euros: '20' } })
  console.log(waiting.status, waiting.error?.code, waiting.error?.message)
  const answer = [import.meta.filename, folder, waiting.metadata.ticketId!]
  for (let time = 0; time < 2; time++) {
    execFileSync(process.execPath, [...process.execArgv, ...answer], { stdio: 'inherit' })
  }
  rmSync(folder, { recursive: true })
} else {
  const { status, data, error } = await gateway.resume(ticket, { decision: 'approve' })
  console.log('another process:', status, error?.message.replace(ticket, '…') ?? data)
}
await gateway.close()
