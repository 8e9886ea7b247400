import { describe, expect, it } from 'vitest'

import { withFake } from './fake.ts'

describe('a server over stdio', () => {
  it('lists its tools and answers a call', async () => {
    const { tools, call } = await withFake('plain')
    expect((await tools()).map((tool) => tool.name)).toContain('echo')
    expect(await call('s.echo', { text: 'hi' })).toEqual({
      data: 'hi',
      content: [{ type: 'text', text: 'hi' }],
    })
  })
})
