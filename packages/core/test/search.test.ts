import { describe, expect, it } from 'vitest'

import type { Gateway } from '../src/index.ts'
import { gatewayOf, tool } from './tools.ts'

const catalogue = [
  tool('read_file', () => 1, {
    description: '读取指定路径的文本文件内容，适用于查看配置、日志、源码等场景',
  }),
  tool('create_issue', () => 1, {
    namespace: 'mcp::github',
    description: 'Creates an issue in a repository.',
    parameters: {
      type: 'object',
      properties: { assignee: { type: 'string', description: 'Who does it.' } },
    },
  }),
  tool('list_issues', () => 1, {
    namespace: 'mcp::github',
    description: 'Lists the issues of a repository.',
  }),
  tool('getForecast', () => 1, {
    namespace: 'http::weather',
    description: 'Tells the weather of the coming days.',
  }),
  tool('secret', () => 1, {
    description: 'Creates issues in secret.',
    permissions: { requiredRoles: ['admin'] },
  }),
]

function top(gateway: Gateway, query: string): string | undefined {
  return gateway.registry.search([query])[0]!.hits[0]?.id
}

describe('search over tools', () => {
  const gateway = gatewayOf(catalogue)

  it('finds by words of name, description and parameters, in any English form', () => {
    expect(top(gateway, 'creating issue')).toBe('mcp::github::create_issue')
    expect(top(gateway, 'who is assigned: assignee')).toBe('mcp::github::create_issue')
    expect(top(gateway, 'forecast')).toBe('http::weather::getForecast')
  })

  it('finds Chinese descriptions by characters and pairs', () => {
    expect(top(gateway, '查看日志')).toBe('local::read_file')
    expect(top(gateway, '读文件')).toBe('local::read_file')
  })

  it.each([
    ['url', 'getURLContents'],
    ['contents', 'getURLContents'],
    ['url', 'HTTPFetch'],
    ['fetch', 'HTTPFetch'],
    ['json', 'parseJSONFile'],
    ['pdf', 'merge'],
  ])('finds %j in words that are written in capitals: %s', (query, name) => {
    const parameters = { type: 'object', properties: { targetURLPath: { type: 'string' } } }
    const tools = gatewayOf([
      tool('getURLContents', () => 1),
      tool('HTTPFetch', () => 1, { parameters }),
      tool('parseJSONFile', () => 1),
      tool('merge', () => 1, { description: 'Makes one of several PDFs.' }),
    ])
    const [found] = tools.registry.search([query])
    expect(found!.hits.map(({ id }) => id)).toContain(`local::${name}`)
  })

  it('puts an exact name first among names that differ in case alone, also when one is gone', () => {
    const { registry } = gatewayOf([
      tool('Run', () => 1),
      tool('run', () => 1),
      tool('run_run_run', () => 1, { description: 'Run local run, local run.' }),
    ])
    const first = (query: string) => registry.search([query])[0]?.hits[0]?.id
    expect(first('local::Run')).toBe('local::Run')
    expect(first('local::run')).toBe('local::run')
    registry.remove('local::run')
    expect(first('local::Run')).toBe('local::Run')
  })

  it('puts an exact name first, and gives nothing for words that nobody uses', () => {
    expect(top(gateway, 'mcp__github__list_issues')).toBe('mcp::github::list_issues')
    expect(gateway.registry.search(['zebra'])[0]!.hits).toEqual([])
  })

  it('shows a caller only what it may call', () => {
    const [{ hits } = { hits: [] }] = gateway.registry.search(['secret issues'], {
      context: { roles: ['user'] },
    })
    expect(hits.map(({ id }) => id)).not.toContain('local::secret')
    const [{ hits: all } = { hits: [] }] = gateway.registry.search(['secret issues'], {
      context: { roles: ['admin'] },
    })
    expect(all[0]?.id).toBe('local::secret')
  })

  it('follows what is added and removed', () => {
    const live = gatewayOf(catalogue)
    expect(top(live, 'zebra')).toBeUndefined()
    live.registry.add(tool('zebra', () => 1))
    expect(top(live, 'zebra')).toBe('local::zebra')
    live.registry.remove('local::zebra')
    expect(top(live, 'zebra')).toBeUndefined()
  })
})

describe('the bridge tools', () => {
  const gateway = gatewayOf(catalogue)

  it('search several queries at once and give name, id, description and parameter names', async () => {
    const { data } = await gateway.dispatch({
      name: 'tool_search',
      arguments: { queries: ['create issue', 'weather', 'zebra'], limit: 1 },
    })
    expect(data).toMatchObject({
      queries: ['create issue', 'weather', 'zebra'],
      results: [
        { matches: ['mcp__github__create_issue'] },
        { matches: ['http__weather__getForecast'] },
        { matches: [], hint: expect.stringContaining('mcp::github') as string },
      ],
      tools: {
        mcp__github__create_issue: { id: 'mcp::github::create_issue', parameters: ['assignee'] },
      },
    })
  })

  it('put first what the session used lately, where two fit about equally', async () => {
    const twins = ['one', 'two'].map((name) =>
      tool(`report_${name}`, () => 1, { description: 'Makes a report.' }),
    )
    const live = gatewayOf(twins)
    const find = async () =>
      (
        await live.dispatch(
          { name: 'tool_search', arguments: { queries: ['report'] } },
          { sessionId: 's' },
        )
      ).data as {
        results: { matches: string[] }[]
      }
    const last = (await find()).results[0]!.matches[1]!
    await live.dispatch({ name: last, arguments: {} }, { sessionId: 's' })
    expect((await find()).results[0]!.matches[0]).toBe(last)
  })

  it('take seven queries and ten names, one text for a list, and leave out blanks and doubles', async () => {
    const own = gatewayOf([tool('read_file', () => 1, { deferred: true })])
    const ask = (name: string, args: object) => own.dispatch({ name, arguments: args })
    const many = (count: number) => Array.from({ length: count }, (_, n) => `read ${n}`)
    expect((await ask('tool_search', { queries: many(7) })).status).toBe('ok')
    expect((await ask('tool_search', { queries: many(8) })).error?.code).toBe('invalid_arguments')
    expect((await ask('tool_search', { queries: ['read'], limit: 26 })).status).toBe('error')
    expect((await ask('tool_describe', { names: many(11) })).error?.code).toBe('invalid_arguments')
    expect((await ask('tool_search', { queries: 'read' })).data).toMatchObject({
      queries: ['read'],
      results: [{ matches: ['read_file'] }],
    })
    expect((await ask('tool_search', { queries: ['', ' read ', '  '] })).data).toMatchObject({
      queries: ['read'],
    })
    const { data } = await ask('tool_describe', { names: ['x', 'x', 'read_file', 'read_file'] })
    expect(data).toMatchObject({ not_found: ['x'] })
    expect(Object.keys((data as { tools: object }).tools)).toEqual(['read_file'])
  })

  it('say of each tool no more than so much, whatever it says of itself', async () => {
    const names = Array.from({ length: 100 }, (_, n) => `${'p'.repeat(200)}${n}`)
    const own = gatewayOf([
      tool('wide', () => 1, {
        description: 'wide '.repeat(1000),
        parameters: {
          type: 'object',
          properties: Object.fromEntries(names.map((name) => [name, {}])),
          required: names,
        },
        deferred: true,
      }),
    ])
    const { data } = await own.dispatch({
      name: 'tool_search',
      arguments: { queries: ['wide'] },
    })
    const { wide } = (data as { tools: { wide: { required: string[]; parameters: string[] } } })
      .tools
    expect([wide.required.length, wide.parameters.length, wide.required[0]?.length]).toEqual([
      32, 32, 64,
    ])
    expect(JSON.stringify(data).length).toBeLessThan(6000)
  })

  it('bring what the session used lately among the first, from wherever it stood', async () => {
    const tools = Array.from({ length: 30 }, (_, n) =>
      tool(`read_${n}`, () => n, { deferred: true }),
    )
    const own = gatewayOf(tools)
    await own.dispatch({ name: 'read_29', arguments: {} }, { sessionId: 's' })
    const hits = (context: object) =>
      own.registry.search(['does read'], { limit: 3, context })[0]?.hits.map(({ id }) => id)
    expect(hits({ sessionId: 's' })?.[0]).toBe('local::read_29')
    expect(hits({ sessionId: 'other' })).not.toContain('local::read_29')
  })

  it('describe tools by either name, and say which names there are not', async () => {
    const { data } = await gateway.dispatch({
      name: 'tool_describe',
      arguments: { names: ['mcp::github::list_issues', 'list_issue'] },
    })
    expect(data).toMatchObject({
      tools: { mcp__github__list_issues: { parameters: { type: 'object' } } },
      not_found: ['list_issue'],
      hint: expect.stringContaining('mcp__github__list_issues') as string,
    })
  })

  it('are shown to the model beside the direct tools', () => {
    const names = gateway.modelTools().map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['read_file', 'tool_search', 'tool_describe', 'tool_call']),
    )
    const deferred = gatewayOf([tool('hidden', () => 1, { deferred: true })])
    expect(deferred.modelTools().map(({ name }) => name)).toEqual([
      'tool_search',
      'tool_describe',
      'tool_call',
    ])
  })

  it('take one entry straight, and say how to send more than one or more than ten', async () => {
    const call = (count: number) =>
      gateway.dispatch({
        name: 'tool_call',
        arguments: {
          calls: Array.from({ length: count }, () => ({ name: 'read_file', arguments: {} })),
        },
      })
    expect(await call(1)).toMatchObject({ status: 'ok', tool: 'local::read_file' })
    expect((await call(2)).error).toMatchObject({
      code: 'malformed_call',
      hint: expect.stringContaining('one entry') as string,
    })
    expect((await call(11)).error).toMatchObject({
      code: 'too_many_calls',
      message: expect.stringMatching(/10.*11/) as string,
    })
    const broken = await gateway.dispatch({ name: 'tool_call', arguments: '{"calls": [{}]}' })
    expect(broken.error).toMatchObject({
      code: 'malformed_call',
      message: expect.stringContaining('calls[0]') as string,
    })
  })
})
