import { expect, it } from 'vitest'

import { gatewayOf } from './tools.ts'

it('a task that has failed stays failed, however many others fail meanwhile (R10.2)', async () => {
  const gateway = gatewayOf([], { policy: { maxReplans: 0 } })
  let number = 0
  const fail = async (sessionId: string) => {
    const toolCalls = [{ name: 'nobody', arguments: { number: number++ } }]
    const { results } = await gateway.runTurn({ toolCalls }, { sessionId, task: 't' })
    return results[0]!.error?.code
  }
  await fail('mine')
  for (let other = 0; other < 999; other++) await fail(`other ${other}`)
  expect(await fail('mine')).toBe('tool_not_found')
  await fail('one more')
  expect(await fail('mine')).toBe('repeated_failure')
})
