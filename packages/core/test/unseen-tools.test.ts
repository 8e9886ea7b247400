import { createHookBus } from '@callgate/hooks'
import type { CallgateEvents, ToolResult } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createGateway, memoryAudit, memoryStatistics } from '../src/index.ts'
import { gatewayOf, tool } from './tools.ts'

const policy = {
  roles: { viewer: { tagsAllow: ['readonly'] }, admin: { tagsAllow: ['*'] } },
}
const hidden = tool('drop', () => 1, {
  permissions: { tags: ['write'] },
  effects: { readOnly: true },
  fallback: ['local::look'],
})
const look = tool('look', () => 1, { permissions: { tags: ['readonly'] } })

/** All that a caller gets, but for times and ids. */
function told({ metadata, ...result }: ToolResult): unknown {
  const { trace, durationMs: _, auditId: __, ...more } = metadata
  return { ...result, metadata: { ...more, steps: trace.map(({ step }) => step) } }
}

describe('a tool that a caller may not see', () => {
  it('is answered in every field as a name that no tool has (R9.1)', async () => {
    const context = { roles: ['viewer'], sessionId: 's' }
    const call = { id: 'c', name: 'drop', arguments: '{"a":1}' }
    const withTool = gatewayOf([hidden, look], { policy })
    const without = gatewayOf([look], { policy })
    expect(told(await withTool.dispatch(call, context))).toEqual(
      told(await without.dispatch(call, context)),
    )
    const turn = { toolCalls: [call] }
    const [there] = (await withTool.runTurn(turn, context)).results
    const [absent] = (await without.runTurn(turn, context)).results
    expect(told(there!)).toEqual(told(absent!))
    expect(await withTool.explain(call, context)).toEqual(await without.explain(call, context))
  })

  it('is told of by the name that was asked for, however often it is asked for (R9.1)', async () => {
    const context = { roles: ['viewer'], sessionId: 's' }
    const withTool = gatewayOf([hidden, look], { policy })
    const without = gatewayOf([look], { policy })
    for (const time of [1, 2, 3]) {
      const call = { id: `c${time}`, name: 'drop', arguments: {} }
      const there = await withTool.dispatch(call, context)
      expect(told(there)).toEqual(told(await without.dispatch(call, context)))
      expect(there.metadata.notice).toEqual(
        time < 3 ? undefined : expect.stringContaining('number 3 of drop with'),
      )
    }
  })

  it('has several names no more than a tool that is not there (R9.1)', async () => {
    const context = { roles: ['viewer'], sessionId: 's' }
    const withTool = gatewayOf([hidden, look], { policy })
    const without = gatewayOf([look], { policy })
    for (const name of ['drop', 'local::drop', 'drop', 'local::drop', 'drop']) {
      const call = { id: 'c', name, arguments: {} }
      const there = await withTool.dispatch(call, context)
      expect(told(there)).toEqual(told(await without.dispatch(call, context)))
    }
  })

  it('is one also where a tool alone says who may use it, without any roles of the policy', async () => {
    const ops = tool('restart', () => 1, { permissions: { requiredRoles: ['ops'] } })
    const gateway = gatewayOf([look, ops])
    const ask = async (name: string, held: readonly string[]) =>
      told(await gateway.dispatch({ id: 'c', name, arguments: {} }, { roles: held })) as ToolResult
    const there = await ask('restart', ['viewer'])
    const absent = await ask('nothing_like', ['viewer'])
    expect({ ...there, tool: 'any' }).toEqual({ ...absent, tool: 'any' })
    expect([there.tool, there.error?.code]).toEqual(['restart', 'permission_denied'])
    expect((await ask('nothing_like', ['ops'])).error?.code).toBe('tool_not_found')
  })

  it('is known by its id to the audit and to hooks', async () => {
    const audit = memoryAudit()
    const hooks = createHookBus<CallgateEvents>()
    const seen: string[] = []
    hooks.on('post_tool_call', (payload) => void seen.push(payload.tool), { match: 'local::*' })
    const gateway = createGateway({ tools: [hidden], hooks, ports: { audit }, policy })
    await gateway.dispatch({ name: 'drop', arguments: {} }, { roles: ['viewer'] })
    await hooks.idle()
    expect(seen).toEqual(['local::drop'])
    expect(audit.entries()).toMatchObject([
      { tool: 'local::drop', reason: expect.stringContaining('local::drop') as string },
    ])
  })
})

describe('statistics in memory', () => {
  it('count no names that a model makes up, and hold a bounded number of tools', async () => {
    const statistics = memoryStatistics()
    const gateway = createGateway({ tools: [look], ports: { statistics } })
    await gateway.dispatch({ name: 'made_up', arguments: {} })
    expect(statistics.of('made_up')).toBeUndefined()
    const ok = await gateway.dispatch({ name: 'look', arguments: {} })
    for (let n = 0; n < 10_001; n++) statistics.record({ ...ok, tool: `t${n}` })
    expect(statistics.of('local::look')).toBeUndefined()
    expect(statistics.of('t10000')?.invocations).toBe(1)
  })
})
