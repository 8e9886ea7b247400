import { createGateway, defineTool, type FunctionTool, type GatewayOptions } from '@callgate/core'
import type { ApprovalGrant, ApprovalRequest, Ports } from '@callgate/spec'

export const never = new Promise<never>(() => {})

/** A tool that asks before each call, and gives back its arguments. */
export function send(more: Partial<FunctionTool> = {}): FunctionTool {
  return defineTool({
    namespace: 'local',
    name: 'send',
    description: 'Sends a message.',
    parameters: { type: 'object' },
    confirm: true,
    execute: (args: unknown) => args,
    ...more,
  } as Parameters<typeof defineTool>[0])
}

/** The same with parameters, and with a message that names one of them and one that there is not. */
export const sendTo = send({
  parameters: {
    type: 'object',
    properties: { to: { type: 'string' }, times: { type: 'integer' } },
    required: ['to'],
    additionalProperties: false,
  },
  confirmMessage: 'Send to {to}, {missing}?',
})

export const call = { id: 'c1', name: 'send', arguments: { to: 'a' } }

export function gatewayOf(more: GatewayOptions = {}) {
  return createGateway({ tools: [send()], ...more })
}

/** A store that outlives a gateway; what it keeps is text. */
export function store(more: Partial<Ports['approvals']> = {}): Ports['approvals'] & {
  readonly kept: Map<string, string>
  readonly grants: ApprovalGrant[]
} {
  const kept = new Map<string, string>()
  const grants: ApprovalGrant[] = []
  return {
    durable: true,
    kept,
    grants,
    put: async (request) => void kept.set(request.ticketId, JSON.stringify(request)),
    decide: async (ticketId) => (kept.delete(ticketId) ? 'decided' : 'gone'),
    async claim(ticketId) {
      const text = kept.get(ticketId)
      kept.delete(ticketId)
      return text === undefined ? undefined : (JSON.parse(text) as ApprovalRequest)
    },
    withdraw: async (ticketId) => void kept.delete(ticketId),
    list: async () => [...kept.values()].map((text) => JSON.parse(text) as ApprovalRequest),
    grant: async (grant) => void grants.push(grant),
    granted: async () => false,
    ...more,
  }
}
