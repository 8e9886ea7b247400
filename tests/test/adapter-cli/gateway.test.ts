import { cliAdapter, type CliOptions, type CliResult } from '@callgate/adapter-cli'
import { createGateway, type Gateway } from '@callgate/core'
import { InvalidToolError, type ToolDefinition, type ToolResult } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

function program(name: string, code: string, more: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    namespace: 'local',
    name,
    description: 'A program of the test.',
    parameters: { type: 'object', properties: {}, additionalProperties: false },
    ...more,
    backend: {
      adapter: 'cli',
      command: process.execPath,
      argsTemplate: ['-e', code],
      ...more.backend,
    },
  }
}

async function withGateway<Result>(
  tools: readonly ToolDefinition[],
  run: (gateway: Gateway) => Promise<Result>,
  options: CliOptions = {},
): Promise<Result> {
  const gateway = createGateway({
    adapters: [cliAdapter(options)],
    tools,
    secrets: (name) => ({ TOKEN: 'a-long-secret-value' })[name],
  })
  await gateway.start()
  try {
    return await run(gateway)
  } finally {
    await gateway.close()
  }
}

function dispatch(
  tool: ToolDefinition,
  args: { readonly [name: string]: unknown } = {},
): Promise<ToolResult> {
  return withGateway([tool], (gateway) =>
    gateway.dispatch({ id: 'c1', name: tool.name, arguments: args }),
  )
}

describe('a program behind a gateway', () => {
  it('gives its outputs and exit code', async () => {
    const { status, data, metadata } = await dispatch(program('hello', 'console.log("hello")'))
    expect({ status, outcome: metadata.outcome }).toEqual({ status: 'ok', outcome: 'done' })
    expect(data).toMatchObject({ exitCode: 0, stdout: 'hello\n', stderr: '' })
  })

  it('that fails says how, and the model reads why', async () => {
    const code = 'console.log("half"); console.error("no space left"); process.exitCode = 2'
    const { status, error, data } = await dispatch(program('copy', code))
    expect(status).toBe('error')
    expect(error).toMatchObject({ code: 'tool_failed', message: 'exit code 2: no space left' })
    expect(data).toMatchObject({ stdout: 'half\n' })
  })

  it('that takes too long is ended, and nobody claims that it did its work', async () => {
    const code = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'
    const { error, metadata } = await dispatch(program('hang', code, { timeoutMs: 400 }))
    expect(error).toMatchObject({ code: 'timeout' })
    expect(metadata.outcome).toBe('unknown')
  })

  it('never shows a secret of its environment', async () => {
    const tool = program('leak', 'console.log("token", process.env.API_TOKEN)', {
      backend: { adapter: 'cli', env: { API_TOKEN: '{env:TOKEN}' } },
    })
    const result = await dispatch(tool)
    expect(JSON.stringify(result)).not.toContain('a-long-secret-value')
    expect((result.data as CliResult).stdout).toMatch(/^token \S+\n$/)
  })

  it('gets no argument that a guard refuses', async () => {
    const tool = program('show', '', {
      parameters: { type: 'object', properties: { rev: { type: 'string' } }, required: ['rev'] },
      backend: { adapter: 'cli', command: 'cat', argsTemplate: ['{rev}'] },
    })
    const { status, error, metadata } = await dispatch(tool, { rev: '--output=/tmp/x' })
    expect(status).toBe('denied')
    expect(error).toMatchObject({ code: 'guard_refused', rule: 'leading-dash', parameter: 'rev' })
    expect(metadata.outcome).toBe('not_started')
  })

  it('gets the default of a parameter that is not given', async () => {
    const tool = program('show', '', {
      parameters: { type: 'object', properties: { n: { type: 'integer', default: 7 } } },
      backend: { adapter: 'cli', command: 'echo', argsTemplate: ['n={n}'] },
    })
    expect((await dispatch(tool)).data).toMatchObject({ stdout: 'n=7\n' })
  })

  it('is not registered when its declaration is a command line', () => {
    const tool = program('list', '', { backend: { adapter: 'cli', command: 'ls -la' } })
    const make = (): Gateway => createGateway({ adapters: [cliAdapter({})], tools: [tool] })
    expect(make).toThrow(InvalidToolError)
    expect(make).toThrow(expect.objectContaining({ rule: 'legacy-string' }))
  })

  it('runs next to many others without mixing them up', async () => {
    const tool = program('echo', '', {
      parameters: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
      effects: { readOnly: true, concurrency: 'parallel' },
      backend: { adapter: 'cli', command: 'echo', argsTemplate: ['{n}'] },
    })
    const outputs = await withGateway([tool], (gateway) =>
      Promise.all(
        Array.from({ length: 30 }, async (_, n) => {
          const { data } = await gateway.dispatch({ id: `c${n}`, name: 'echo', arguments: { n } })
          return (data as CliResult).stdout
        }),
      ),
    )
    expect(outputs).toEqual(Array.from({ length: 30 }, (_, n) => `${n}\n`))
  })

  it('can be one of a list, chosen by the model', async () => {
    const call = {
      id: 'c1',
      name: 'cli::exec_command',
      arguments: { command: 'echo', args: ['a b'] },
    }
    const result = await withGateway([], (gateway) => gateway.dispatch(call), {
      exec: { programs: ['echo'] },
    })
    expect(result.data).toMatchObject({ stdout: 'a b\n' })
  })
})
