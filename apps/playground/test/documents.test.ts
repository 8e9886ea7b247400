import { describe, expect, it } from 'vitest'

import { expectOneLine, file, shapes, start, twoCalls } from './support.ts'

/** A server that never answers: whoever waits for it says so on a line of its own. */
const silent = 'mcp_servers:\n  silent: { command: sleep, args: ["600"] }\n'

describe('an OpenAPI document that cannot be used', () => {
  it.each([
    [
      'openapi: 3.0.0\ninfo: [\n',
      '',
      /cannot be parsed, .*api\.yaml:\d:\d.* \(.*config\.yaml:5:15\)/,
    ],
    ['title: none\n', '', /"a" is not an OpenAPI document.* \(.*config\.yaml:5:15\) Known are/],
    ['openapi: 3.0.0\npaths: {}\n', '', /names no server.* \(.*config\.yaml:5:5\) Set "server"/],
    [
      'openapi: 3.0.0\npaths: {}\n',
      '    server: here\n',
      /names no server.* \(.*config\.yaml:6:13\) Set "server"/,
    ],
  ])(
    'is refused with its line before any server is waited for: %j%s',
    async (document, more, expected) => {
      await file('api.yaml', document)
      const turn = await file('turn.json', shapes.anthropic(twoCalls))
      const openapi = `openapi:\n  a:\n    document: ./api.yaml\n${more}`
      const config = await file('config.yaml', `${silent}${openapi}`)
      const ran = await start(['--turn', turn, '--config', config])
      expectOneLine(ran)
      expect(ran.stderr).toMatch(/^invalid_arguments: The configuration is refused: /)
      expect(ran.stderr).toMatch(expected)
      expect(ran.code).toBe(3)
    },
  )

  it('since it cannot be fetched gives one line, and no server is waited for', async () => {
    const turn = await file('turn.json', shapes.anthropic(twoCalls))
    const openapi = 'openapi:\n  a: { document: "http://127.0.0.1:1/x.json", allow: [127.0.0.1] }\n'
    const config = await file('config.yaml', `${silent}${openapi}`)
    const ran = await start(['--turn', turn, '--config', config])
    expectOneLine(ran)
    expect(ran.stderr).toMatch(/^backend_unavailable: .*http:\/\/127\.0\.0\.1:1\/x\.json/)
    expect(ran.code).toBe(8)
  })
})
