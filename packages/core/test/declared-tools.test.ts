import { InvalidToolError } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { readTools } from '../src/index.ts'
import { gatewayOf, refusal, tool } from './tools.ts'

const circle: unknown[] = []
circle.push(circle)

/** The notation of the third article: a list of inputs. */
const byInputs = {
  tool: {
    name: 'database_query',
    version: '2.1.0',
    description: 'Execute parameterized SQL queries against registered databases',
    category: 'data',
    inputs: [
      {
        name: 'query',
        type: 'string',
        required: true,
        validation: {
          max_length: 4096,
          pattern: '^(SELECT|INSERT|UPDATE|DELETE)\\s+.*',
          forbidden_patterns: ['DROP\\s+', ';\\s*--'],
        },
      },
      {
        name: 'database',
        type: 'enum',
        required: true,
        allowed_values: ['analytics', 'user_profiles', 'content'],
      },
      { name: 'timeout_seconds', type: 'integer', required: false, default: 30, range: [1, 300] },
    ],
    outputs: [{ name: 'rows', type: 'array', description: 'Query result rows' }],
    permissions: {
      required_roles: ['DevOps'],
      denied_roles: ['Builder'],
      risk_level: 'high',
      requires_approval: true,
    },
    rate_limit: { max_calls_per_minute: 10, max_calls_per_hour: 200, burst_allowance: 3 },
    timeout_ms: 30000,
    retry_policy: {
      max_retries: 2,
      backoff_strategy: 'exponential',
      initial_delay_ms: 1000,
      retryable_errors: ['TIMEOUT', 'CONNECTION_LOST'],
    },
    backend: {
      type: 'mcp',
      adapter: 'MCPAdapter',
      endpoint: 'mcp://database-server/query',
      connection_pool_size: 5,
    },
    health_check: {
      enabled: true,
      interval_seconds: 60,
      timeout_seconds: 5,
      unhealthy_threshold: 3,
    },
    metadata: { author: 'platform-team', tags: ['database', 'readonly'] },
  },
}

/** The notation of the second article: JSON Schema, and the adapter's keys beside it. */
const bySchema = {
  tools: [
    {
      name: 'list_files',
      namespace: 'local',
      description: 'Lists files.',
      adapter: 'cli',
      command: 'ls',
      args_template: ['-la', '{dir}'],
      working_dir: '{workspace}',
      parameters: { type: 'object', properties: { dir: { type: 'string' } }, required: ['dir'] },
      permissions: { tags: ['readonly', 'filesystem'] },
      confirm: true,
      confirm_message: 'List {dir}?',
      timeout_seconds: 120,
      env: { MY_VAR: 'x' },
    },
  ],
}

describe('tools declared as data', () => {
  it('load in the notation with a list of inputs', () => {
    expect(readTools(byInputs)).toEqual([
      {
        namespace: 'local',
        name: 'database_query',
        version: '2.1.0',
        description: 'Execute parameterized SQL queries against registered databases',
        category: 'data',
        parameters: {
          type: 'object',
          properties: {
            query: {
              type: 'string',
              pattern: '^(SELECT|INSERT|UPDATE|DELETE)\\s+.*',
              maxLength: 4096,
              allOf: [{ not: { pattern: 'DROP\\s+' } }, { not: { pattern: ';\\s*--' } }],
            },
            database: { type: 'string', enum: ['analytics', 'user_profiles', 'content'] },
            timeout_seconds: { type: 'integer', default: 30, minimum: 1, maximum: 300 },
          },
          required: ['query', 'database'],
          additionalProperties: false,
        },
        outputs: {
          type: 'object',
          properties: { rows: { type: 'array', description: 'Query result rows' } },
        },
        permissions: {
          requiredRoles: ['DevOps'],
          deniedRoles: ['Builder'],
          riskLevel: 'high',
          requiresApproval: true,
          tags: ['database', 'readonly'],
        },
        limits: { perMinute: 10, perHour: 200, burst: 3 },
        timeoutMs: 30000,
        retry: {
          maxRetries: 2,
          backoff: 'exponential',
          initialDelayMs: 1000,
          retryable: ['timeout', 'backend_unavailable'],
        },
        healthCheck: { intervalMs: 60000, timeoutMs: 5000, unhealthyThreshold: 3 },
        metadata: { author: 'platform-team', tags: ['database', 'readonly'] },
        backend: { adapter: 'mcp', endpoint: 'mcp://database-server/query', connectionPoolSize: 5 },
      },
    ])
  })

  it('load in the notation with JSON Schema, names of variables left as they are', () => {
    expect(readTools(bySchema)).toEqual([
      {
        namespace: 'local',
        name: 'list_files',
        description: 'Lists files.',
        parameters: bySchema.tools[0]!.parameters,
        permissions: { tags: ['readonly', 'filesystem'] },
        confirm: true,
        confirmMessage: 'List {dir}?',
        timeoutMs: 120000,
        backend: {
          adapter: 'cli',
          command: 'ls',
          argsTemplate: ['-la', '{dir}'],
          workingDir: '{workspace}',
          env: { MY_VAR: 'x' },
        },
      },
    ])
  })

  it('refuse what the inputs forbid, when they are called', async () => {
    const gateway = gatewayOf(readTools(byInputs))
    const ask = async (query: string, database = 'content') =>
      (
        await gateway.dispatch(
          { name: 'database_query', arguments: { query, database } },
          { roles: ['DevOps'] },
        )
      ).error?.code
    expect(await ask('SELECT 1')).toBe('no_adapter')
    const validated = gatewayOf([
      tool('q', () => 'ran', { parameters: readTools(byInputs)[0]!.parameters }),
    ])
    const run = async (args: object) =>
      (await validated.dispatch({ name: 'q', arguments: args })).error?.code ?? 'ok'
    expect(await run({ query: 'SELECT 1', database: 'content' })).toBe('ok')
    expect(await run({ query: 'SELECT 1; DROP TABLE x', database: 'content' })).toBe(
      'invalid_arguments',
    )
    expect(await run({ query: 'EXPLAIN 1', database: 'content' })).toBe('invalid_arguments')
    expect(await run({ query: 'SELECT 1', database: 'other' })).toBe('invalid_arguments')
    expect(await run({ query: 'SELECT 1', database: 'content', timeout_seconds: '400' })).toBe(
      'invalid_arguments',
    )
  })

  it('that cannot be read are refused, naming the place', () => {
    expect(() => readTools(7)).toThrow(InvalidToolError)
    expect(() => readTools({ tools: [7] })).toThrow(/\/tools\/0 is 7/)
    expect(() => readTools({ tools: [{ name: 'x' }] })).toThrow(
      /\/tools\/0\/description is missing/,
    )
    expect(() => readTools({ name: 'x', description: 'y' })).toThrow(/adapter is missing/)
    expect(() => readTools({ name: 'x', description: 'y', adapter: 'cli', inputs: [{}] })).toThrow(
      /inputs\/0\/name is missing/,
    )
  })
})

describe('a declared tool with a switch that does not fit', () => {
  const faults: readonly [given: object, where: string, hint?: RegExp][] = [
    [{ confirm: 'true' }, '/confirm', /Write true without quotes\./],
    [{ confirm: null }, '/confirm'],
    [{ confrim: true }, '/confrim', /Did you mean "confirm"\?/],
    [{ Confirm: true }, '/Confirm', /Did you mean "confirm"\?/],
    [{ permission: {} }, '/permission', /Did you mean "permissions"\?/],
    [{ timeoutMS: 5 }, '/timeoutMS', /Did you mean "timeoutMs"\?/],
    [{ risk_level: 'high' }, '/risk_level', /Put it into permissions\./],
    [{ confirm_message: 5 }, '/confirm_message'],
    [{ permissions: 'x' }, '/permissions'],
    [{ permissions: null }, '/permissions'],
    [{ permissions: { risk_level: 'hgih' } }, '/permissions/risk_level', /"high"/],
    [{ permissions: { riskLevel: 'hgih' } }, '/permissions/riskLevel', /"high"/],
    [{ permissions: { required_role: [] } }, '/permissions/required_role', /"requiredRoles"/],
    [{ permissions: { requires_approval: 'yes' } }, '/permissions/requires_approval'],
    [{ metadata: { tags: 'a' } }, '/metadata/tags'],
    [{ effects: { destructiv: true } }, '/effects/destructiv', /"destructive"/],
    [{ effects: { read_only: 'true' } }, '/effects/read_only', /without quotes/],
    [{ effects: 5 }, '/effects'],
    [{ limits: { concurrency: 0 } }, '/limits/concurrency'],
    [{ rate_limit: { max_calls_per_minute: '10' } }, '/rate_limit/max_calls_per_minute'],
    [{ rate_limit: { max_call_per_hour: 5 } }, '/rate_limit/max_call_per_hour'],
    [{ timeout_seconds: 'x' }, '/timeout_seconds'],
    [{ timeout_seconds: -1 }, '/timeout_seconds'],
    [{ timeout_ms: '30' }, '/timeout_ms', /Write 30 without quotes\./],
    [{ timeout: 1e9 }, '/timeout'],
    [{ retry: 5 }, '/retry'],
    [{ retry_policy: { max_retries: 'many' } }, '/retry_policy/max_retries'],
    [{ retry_policy: { backoff_strategy: 'none' } }, '/retry_policy/backoff_strategy'],
    [{ health_check: true }, '/health_check'],
    [{ health_check: { intervall_seconds: 5 } }, '/health_check/intervall_seconds'],
    [{ inputs: {} }, '/inputs'],
    [{ inputs: [{ name: 'a', required: 'true' }] }, '/inputs/0/required'],
    [{ inputs: [{ name: 'a', requird: true }] }, '/inputs/0/requird', /"required"/],
    [
      { inputs: [{ name: 'a', validation: { forbidden_patterns: 'DROP' } }] },
      '/inputs/0/validation/forbidden_patterns',
    ],
    [
      { inputs: [{ name: 'a', validation: { forbiden_patterns: [] } }] },
      '/inputs/0/validation/forbiden_patterns',
    ],
    [{ inputs: [{ name: 'a', range: 5 }] }, '/inputs/0/range'],
    [{ outputs: 'text' }, '/outputs'],
    [{ parameters: 'text' }, '/parameters'],
    [{ backend: 5 }, '/backend'],
  ]

  it.each(faults)(
    'is refused, with the keys as they are written: %j',
    (given, where, hint = /\.$|\?$/) => {
      const item = { name: 'x', description: 'y', adapter: 'cli', ...given }
      for (const [document, place] of [
        [item, where],
        [{ tools: [item] }, `/tools/0${where}`],
      ] as const) {
        const error = refusal(() => readTools(document))
        expect(error).toMatchObject({ rule: 'tool-data', where: place })
        expect(error?.message).toMatch(/^A declared tool is refused: \S+ is .*; expected .*\.$/)
        expect(error?.hint).toMatch(hint)
      }
    },
  )

  it('is told from the block of its adapter, which may have any keys', () => {
    const [read] = readTools({
      name: 'x',
      description: 'y',
      adapter: 'own',
      output: 'text',
      config: {},
      limit: 5,
      read_only: 'x',
    })
    expect(read?.backend).toEqual({
      adapter: 'own',
      output: 'text',
      config: {},
      limit: 5,
      readOnly: 'x',
    })
  })

  it.each([
    [{ tools: { a: { description: 'x' } } }, '/tools', /\/tools is an object; expected a list of/],
    [{ tools: null }, '/tools', /\/tools is null; expected a list of tools/],
    [[circle], '/0', /\/0 is a list; expected a tool/],
  ])('is told apart from a list that is none: %#', (document, where, message) => {
    const refused = refusal(() => readTools(document))
    expect(refused?.where).toBe(where)
    expect(refused?.message).toMatch(message)
  })

  it('is refused with a range that nothing is in', () => {
    const inputs = [{ name: 'a', type: 'integer', range: [5, 1] }]
    const refused = refusal(() =>
      readTools({ name: 'x', description: 'y', adapter: 'cli', inputs }),
    )
    expect(refused?.where).toBe('/inputs/0/range')
  })

  it('takes what its enum allows, whatever type that is', async () => {
    const input = { name: 'a', type: 'enum', required: true, allowed_values: [1, 2, 'all'] }
    const [read] = readTools({ name: 'x', description: 'y', adapter: 'cli', inputs: [input] })
    const gateway = gatewayOf([tool('x', ({ a }: { a: unknown }) => a, read)])
    for (const a of [1, 'all']) {
      expect((await gateway.dispatch({ name: 'x', arguments: { a } })).data).toBe(a)
    }
    const refused = await gateway.dispatch({ name: 'x', arguments: { a: 3 } })
    expect(refused.error?.code).toBe('invalid_arguments')
  })

  it('is told from inputs in camelCase, which mean the same', () => {
    const validation = { forbiddenPatterns: ['DROP'], maxLength: 5 }
    const [read] = readTools({
      name: 'x',
      description: 'y',
      adapter: 'cli',
      inputs: [{ name: 'a', type: 'enum', allowedValues: ['b'], validation }],
    })
    expect(read?.parameters).toMatchObject({
      properties: {
        a: { type: 'string', enum: ['b'], maxLength: 5, allOf: [{ not: { pattern: 'DROP' } }] },
      },
    })
  })
})
