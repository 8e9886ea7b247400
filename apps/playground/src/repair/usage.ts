import { parseArgs } from 'node:util'

import type { Provider } from '@callgate/coercion'

export interface RepairArguments {
  /** A file, the JSON itself, or `-`. */
  readonly schema: string
  /** What the model sent, `@` and a file, or `-`. */
  readonly args: string
  readonly provider: Provider
  readonly json: boolean
}

const providers: { readonly [name in Provider]: true } = {
  any: true,
  openai: true,
  'openai-strict': true,
  anthropic: true,
  gemini: true,
  bedrock: true,
  mistral: true,
  'llama.cpp': true,
}
const providerNames = Object.keys(providers).join(', ')

export const repairUsage = `Usage: start repair --schema SCHEMA --args TEXT [--provider NAME] [--json]

Shows what becomes of the arguments that a model sends to a tool of this schema: the schema the model
sees, how the text is read, every repair, what does not fit, and the result. Nothing is run.

  --schema SCHEMA  JSON Schema: a file, the JSON itself, or - for standard input
  --args TEXT      what the model sent, as it is, JSON or not; @FILE is a file, - standard input
  --provider NAME  whose rules the shown schema follows, default any:
                   ${providerNames}
  --json           print one JSON object instead

Exit codes: 0 the arguments fit, repaired or not, 1 they are read and do not fit the schema, 2 usage, 3 the
schema cannot be read or is broken, 4 the text is read as no arguments, or its file cannot be read.`

/**
 * Gives undefined where help is asked for.
 *
 * @throws Error with one line that says which argument does not fit.
 */
export function readRepairArguments(args: readonly string[]): RepairArguments | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      schema: { type: 'string' },
      args: { type: 'string' },
      provider: { type: 'string', default: 'any' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return undefined
  const { schema, args: sent, provider, json } = values
  if (schema === undefined || sent === undefined) {
    throw new Error(`${schema === undefined ? '--schema' : '--args'} is missing.`)
  }
  if (schema === '-' && sent === '-') {
    throw new Error('Only one of --schema and --args can be standard input.')
  }
  if (!isProvider(provider)) {
    throw new Error(`--provider is "${provider}"; expected one of ${providerNames}.`)
  }
  return { schema, args: sent, provider, json }
}

function isProvider(name: string): name is Provider {
  return Object.hasOwn(providers, name)
}
