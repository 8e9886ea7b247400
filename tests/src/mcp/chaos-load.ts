import type { Gateway } from '@callgate/core'
import type { ToolResult } from '@callgate/spec'

import { type ActWeights, pickAct, seededRandom } from './chaos-acts.ts'

/** What is kept of a call; small, for there are many. */
export interface Answered {
  readonly id: string
  readonly act: string
  /** As the gateway has it; `unanswered` after `patienceMs`. */
  readonly status: ToolResult['status'] | 'unanswered'
  readonly outcome: ToolResult['metadata']['outcome'] | undefined
  readonly code: string | undefined
  /** Whether the answer is the one to this call. */
  readonly own: boolean
}

export interface Load {
  readonly gateway: Gateway
  /** By server, what its calls ask for. */
  readonly acts: { readonly [server: string]: ActWeights }
  readonly seed: number
  readonly forMs: number
  /** How much more often than their weights say things go wrong. */
  readonly factor: number
}

/** For all attempts of a call, waits between them included. */
const deadlineMs = 10_000
/** When a call counts as unanswered. */
const patienceMs = 15_000
/** Each is called by a worker of its own, so that the circuit of one says nothing of the others. */
const toolsOfServer = 3
const longestPauseMs = 150
const longestWorkMs = 40

/** Calls every server until the time is over; resolves when every call has its answer. */
export async function runLoad(load: Load): Promise<readonly Answered[]> {
  const end = performance.now() + load.forMs
  const answered: Answered[] = []
  const workers = Object.keys(load.acts).flatMap((server, row) =>
    Array.from({ length: toolsOfServer }, (_, column) => {
      const random = seededRandom(load.seed + row * 1000 + column)
      const pick = (): string => pickAct(load.acts[server] ?? [], load.factor, random)
      return work(load, `${server}::chaos-${String(column)}`, pick, random, end)
    }),
  )
  for (const list of await Promise.all(workers)) answered.push(...list)
  return answered
}

/** A circuit is open for half a minute, and a server is left alone for the rest of a minute after ten starts. */
const restMs = 150_000
const askAgainMs = 1000

/** The servers that do not answer any more, when nothing disturbs them. */
export async function deadAfterRest(
  gateway: Gateway,
  servers: readonly string[],
): Promise<readonly string[]> {
  const end = performance.now() + restMs
  const recovers = async (server: string): Promise<boolean> => {
    for (let round = 0; performance.now() < end; round += 1) {
      const call = { id: `${server}.rest.${String(round)}`, act: 'echo', ms: 0 }
      const name = `mcp::${server}::chaos-0`
      // oxlint-disable-next-line no-await-in-loop -- asks again
      const { status } = await gateway.dispatch({ name, arguments: call }, { deadlineMs })
      if (status === 'ok') return true
      // oxlint-disable-next-line no-await-in-loop -- as above
      await pause(askAgainMs)
    }
    return false
  }
  const alive = await Promise.all(servers.map(recovers))
  return servers.filter((_, at) => alive[at] !== true)
}

async function work(
  { gateway, seed }: Load,
  tool: string,
  pick: () => string,
  random: () => number,
  end: number,
): Promise<readonly Answered[]> {
  const answered: Answered[] = []
  while (performance.now() < end) {
    const id = `${tool}.${String(seed)}.${String(answered.length)}`
    const act = pick()
    const ms = Math.floor(random() * longestWorkMs)
    // Some callers lose interest.
    const signal = random() < 0.03 ? AbortSignal.timeout(Math.floor(random() * 60)) : undefined
    const call = { name: `mcp::${tool}`, arguments: { id, act, ms } }
    const context = { deadlineMs, ...(signal === undefined ? {} : { signal }) }
    // oxlint-disable-next-line no-await-in-loop -- one after the other is what a worker does
    answered.push(await settled(gateway.dispatch(call, context), id, act))
    // oxlint-disable-next-line no-await-in-loop -- as above
    await pause(random() * longestPauseMs)
  }
  return answered
}

async function settled(result: Promise<ToolResult>, id: string, act: string): Promise<Answered> {
  const late = new AbortController()
  const answer = await Promise.race([result, pause(patienceMs, late.signal)])
  late.abort()
  if (answer === undefined) {
    return { id, act, status: 'unanswered', outcome: undefined, code: undefined, own: false }
  }
  const { status, metadata, error, data } = answer
  return { id, act, status, outcome: metadata.outcome, code: error?.code, own: data === id }
}

function pause(ms: number, signal?: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), ms)
    signal?.addEventListener('abort', () => clearTimeout(timer), { once: true })
  })
}
