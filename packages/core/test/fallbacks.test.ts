import { ToolError } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { memoryAudit } from '../src/index.ts'
import { gatewayOf, tool } from './tools.ts'

const away = (): never => {
  throw new ToolError({ code: 'backend_unavailable', message: 'away', started: 'no' })
}
const retry = { maxRetries: 2, backoff: 'fixed', initialDelayMs: 1 } as const

describe('a fallback', () => {
  it('is retried as it declares, however often the first tool was', async () => {
    let tries = 0
    const first = tool('first', away, { retry, fallback: ['local::second'] })
    const second = tool('second', () => (++tries < 3 ? away() : 'done'), { retry })
    const result = await gatewayOf([first, second]).dispatch({ name: 'first', arguments: {} })
    expect(result).toMatchObject({
      status: 'ok',
      data: 'done',
      metadata: { answeredBy: 'local::second', attempts: 6 },
    })
  })

  it('that fails too does not hide that the same call fails again and again', async () => {
    const takes = (type: string) => ({
      parameters: { type: 'object', properties: { n: { type } } } as never,
    })
    const first = tool('first', away, { ...takes('integer'), fallback: ['local::second'] })
    const second = tool('second', away, takes('string'))
    const gateway = gatewayOf([first, second])
    const codes: (string | undefined)[] = []
    for (let time = 0; time < 4; time++) {
      const call = { name: 'first', arguments: { n: 5 } }
      const { error } = await gateway.dispatch(call, { sessionId: 's' })
      codes.push(error?.code)
    }
    const unavailable = 'backend_unavailable'
    expect(codes).toEqual([unavailable, unavailable, unavailable, 'repeated_failure'])
  })
})

describe('a tool whose schema is at fault', () => {
  const parametersBy = (validate: () => unknown) =>
    ({
      '~standard': {
        version: 1,
        vendor: 'test',
        validate,
        jsonSchema: { input: () => ({ type: 'object' }) },
      },
    }) as never
  const fault = (): never => {
    throw new Error('the schema is broken')
  }
  const faulty = [
    ['throws', parametersBy(fault)],
    ['rejects', parametersBy(async () => fault())],
  ] as const

  it.each(faulty)(
    'and %s does not answer for the tool that it is to stand in for',
    async (_, parameters) => {
      const first = tool('first', away, { fallback: ['local::second', 'local::third'] })
      const second = tool('second', () => 'second', { parameters })
      const third = tool('third', () => 'third')
      const call = { name: 'first', arguments: {} }
      const { data, metadata } = await gatewayOf([first, second, third]).dispatch(call)
      expect([data, metadata.answeredBy]).toEqual(['third', 'local::third'])

      const audit = memoryAudit()
      const last = { ...first, fallback: ['local::second'] }
      const { error } = await gatewayOf([last, second], { ports: { audit } }).dispatch(call)
      expect(error).toMatchObject({ code: 'backend_unavailable', message: 'away' })
      expect(audit.entries()).toMatchObject([
        { notes: [{ fallback: 'local::second', code: 'internal' }] },
      ])
    },
  )

  it.each(faulty)(
    'and %s has another answer for it where it declares one',
    async (_, parameters) => {
      const first = tool('first', () => 'first', { parameters, fallback: ['local::second'] })
      const gateway = gatewayOf([first, tool('second', () => 'second')])
      const { data } = await gateway.dispatch({ name: 'first', arguments: {} })
      expect(data).toBe('second')
    },
  )

  it.each(faulty)('and %s is told of to the operator alone', async (_, parameters) => {
    const audit = memoryAudit()
    const gateway = gatewayOf([tool('t', () => 1, { parameters })], { ports: { audit } })
    const result = await gateway.dispatch({ name: 't', arguments: {} })
    expect(result).toMatchObject({ error: { code: 'internal' }, metadata: { attempts: 0 } })
    expect(JSON.stringify(result)).not.toContain('the schema is broken')
    expect(JSON.stringify(audit.entries())).toContain('the schema is broken')
  })
})
