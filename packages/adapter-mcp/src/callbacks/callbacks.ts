import type { AdapterHost } from '@callgate/spec'

import type { McpOptions } from '../options.ts'
import type { JsonRecord } from '../record.ts'
import { createElicitation } from './elicitation.ts'
import { createSampling } from './sampling.ts'
import type { RootsOption } from './types.ts'

/** Answers one kind of question of a server. */
export type Answerer = (
  server: string,
  params: JsonRecord,
  signal: AbortSignal,
) => Promise<JsonRecord>

/** Answers what servers ask of their client; the same for both eras of the protocol. */
export interface Callbacks {
  /** Only what the host gave handlers for. */
  readonly methods: readonly CallbackMethod[]
  /** Puts other folders in place of those of the options; whether there were any. */
  setRoots(roots: RootsOption): boolean
  /** Rejects for a method that is not among them. */
  answer(
    server: string,
    method: string,
    params: JsonRecord,
    signal: AbortSignal,
  ): Promise<JsonRecord>
}

export type CallbackMethod = 'elicitation/create' | 'sampling/createMessage' | 'roots/list'

export function createCallbacks(options: McpOptions, host: AdapterHost): Callbacks {
  const { elicitation, sampling, samplingLimits } = options
  let { roots } = options
  const answerers = new Map<CallbackMethod, Answerer>()
  if (elicitation !== undefined) {
    answerers.set('elicitation/create', createElicitation(elicitation, host))
  }
  if (sampling !== undefined)
    answerers.set('sampling/createMessage', createSampling(sampling, samplingLimits, host))
  if (roots !== undefined) answerers.set('roots/list', () => Promise.resolve({ roots }))
  return {
    methods: [...answerers.keys()],
    setRoots: (given) => {
      if (roots === undefined) return false
      roots = given
      return true
    },
    answer: async (server, method, params, signal) => {
      const answerer = answerers.get(method as CallbackMethod)
      if (answerer === undefined) throw new Error(`The client does not answer ${method}.`)
      return answerer(server, params, signal)
    },
  }
}
