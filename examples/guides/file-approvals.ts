import { appendFile, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { ApprovalGrant, ApprovalRequest, Ports } from '@callgate/spec'

/** Approvals in a folder: one file for each question, and one line for each grant. */
export function fileApprovals(folder: string): Ports['approvals'] {
  const grants = join(folder, 'grants.jsonl')
  const pathOf = (ticketId: string) => join(folder, `${encodeURIComponent(ticketId)}.json`)
  const read = async (path: string): Promise<ApprovalRequest> =>
    JSON.parse(await readFile(path, 'utf8'))

  // Of all processes that take a ticket, one gets it: only one rename of a file succeeds.
  async function take(ticketId: string): Promise<ApprovalRequest | undefined> {
    const taken = `${pathOf(ticketId)}.${crypto.randomUUID()}`
    try {
      await rename(pathOf(ticketId), taken)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
    const request = await read(taken)
    await rm(taken)
    return request
  }

  return {
    durable: true,
    async put(request) {
      await mkdir(folder, { recursive: true })
      const draft = `${pathOf(request.ticketId)}.draft`
      await writeFile(draft, JSON.stringify(request), { mode: 0o600 })
      await rename(draft, pathOf(request.ticketId))
    },
    claim: take,
    decide: async (ticketId) => ((await take(ticketId)) === undefined ? 'gone' : 'decided'),
    withdraw: (ticketId) => rm(pathOf(ticketId), { force: true }),
    async list() {
      const names = (await readdir(folder)).filter((name) => name.endsWith('.json'))
      return Promise.all(names.map((name) => read(join(folder, name))))
    },
    grant: (grant) => appendFile(grants, `${JSON.stringify(grant)}\n`),
    async granted(request) {
      const lines = await readFile(grants, 'utf8').catch(() => '')
      const kept = lines.split('\n').filter((line) => line !== '')
      return kept.some((line) => covers(JSON.parse(line) as ApprovalGrant, request))
    },
  }
}

/** A grant is for the tool as it was approved, and for the very arguments or else the rules that asked: all of them. */
function covers(grant: ApprovalGrant, request: ApprovalRequest): boolean {
  if (grant.tool !== request.tool) return false
  if (grant.definitionDigest !== request.definitionDigest) return false
  if (grant.scope === 'session' && grant.sessionId !== request.sessionId) return false
  if (grant.digest !== undefined) return grant.digest === request.digest
  return (
    request.rules.length > 0 &&
    request.rules.length === request.reasons.length &&
    request.rules.every((rule) => grant.rules.includes(rule))
  )
}
