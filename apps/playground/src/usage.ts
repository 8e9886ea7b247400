import { parseArgs } from 'node:util'

export interface Arguments {
  readonly turn: string | undefined
  readonly config: string | undefined
  readonly port: number
  readonly json: boolean
  readonly help: boolean
}

export const usage = `Usage: start [--turn FILE] [--config FILE] [--json] [--port N]
       start repair --schema SCHEMA --args TEXT [--provider NAME] [--json]

Without arguments: plays a recorded message against three real backends and shows every step.
repair shows what becomes of the arguments of a call; see repair --help.

  --turn FILE     play an assistant message of your own (JSON; OpenAI chat and responses,
                  Anthropic and Bedrock are recognised); - is standard input
  --config FILE   tools, MCP servers and OpenAPI documents (YAML or JSON); default: those of the demo
  --json          print one JSON object instead
  --port N        port of the demo's ticket service; default: any free one

Exit codes: 0 all calls are ok (the demo: all is as it should be), 1 some are not, 2 usage,
3 configuration, 4 turn file, 8 a backend is not there, 130 stopped by Ctrl-C (SIGINT),
143 stopped by SIGTERM.`

/** @throws Error with one line that says which argument does not fit. */
export function readArguments(args: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      turn: { type: 'string' },
      config: { type: 'string' },
      port: { type: 'string', default: '0' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const { turn, config, json, help } = values
  // Who asks for help may not know yet what goes together.
  if (help) return { turn, config, port: 0, json, help }
  const port = /^\d+$/.test(values.port) ? Number(values.port) : NaN
  if (!(port <= 65_535)) {
    throw new Error(`--port is "${values.port}"; expected a number from 0 to 65535.`)
  }
  if (config !== undefined && turn === undefined) {
    throw new Error('--config needs --turn: the demo plays its own message on its own backends.')
  }
  return { turn, config, port, json, help }
}
