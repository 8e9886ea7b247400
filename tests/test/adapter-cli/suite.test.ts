import { cliAdapter, type CliOptions } from '@callgate/adapter-cli'
import type { ToolDefinition } from '@callgate/spec'
import { adapterSuite } from '@callgate/testkit'
import { describe, it } from 'vitest'

/** A tool that runs a fixed program text of this Node. */
function script(name: string, code: string): ToolDefinition {
  return {
    namespace: 'local',
    name,
    description: 'A program of the test.',
    parameters: {
      type: 'object',
      properties: { text: { type: 'string' } },
      additionalProperties: false,
    },
    backend: {
      adapter: 'cli',
      command: process.execPath,
      argsTemplate: ['-e', code, '--', '{text}'],
    },
  }
}

const tools = [
  script('say', 'console.log(process.argv[1])'),
  script('fail', 'console.error("no such thing"); process.exitCode = 4'),
  script('wait', 'setInterval(() => {}, 1000)'),
  script('flood', 'process.stdout.write("x".repeat(3_000_000))'),
]
const say = {
  tool: 'say',
  arguments: { text: 'hello' },
  expect: { stdout: 'hello\n', exitCode: 0 },
}

describe.each<CliOptions>([{ runner: true }, { runner: false }])(
  'adapter-cli with %o',
  (options) => {
    adapterSuite(it, () => Promise.resolve(cliAdapter(options)), {
      tools,
      fixtures: {
        ok: say,
        fails: {
          tool: 'fail',
          arguments: {},
          expect: { data: { exitCode: 4, stderr: 'no such thing\n' } },
        },
        slow: { tool: 'wait', arguments: {} },
        progress: say,
        large: { tool: 'flood', arguments: {} },
      },
    })
  },
)
