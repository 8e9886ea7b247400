import { mcpAdapter } from '@callgate/adapter-mcp'
import { createGateway, defineTool, type Gateway, type GatewayOptions } from '@callgate/core'
import { describe, expect, it, onTestFinished } from 'vitest'

/** A server that lists tools of these names and answers a call with the name it was called by. */
function serverWith(names: readonly string[]): {
  readonly command: string
  readonly args: string[]
} {
  const source = `
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line)
      if (id === undefined) return
      const result = method === 'initialize'
        ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'n', version: '1' } }
        : method === 'tools/list'
          ? { tools: ${JSON.stringify(names)}.map((name) => ({ name, inputSchema: { type: 'object' } })) }
          : { content: [{ type: 'text', text: params.name }] }
      console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
    }).on('close', () => process.exit())`
  return { command: process.execPath, args: ['-e', source] }
}

async function gatewayOver(
  server: string,
  names: readonly string[],
  tools: GatewayOptions['tools'] = [],
): Promise<Gateway> {
  const adapter = mcpAdapter({ servers: { [server]: serverWith(names) } })
  const gateway = createGateway({ adapters: [adapter], tools })
  await gateway.start()
  onTestFinished(() => gateway.close())
  return gateway
}

describe('names of MCP tools', () => {
  const server = 'a-server-with-a-name-of-thirty-six-c'
  const names = [
    'n'.repeat(40),
    'n'.repeat(64),
    `${'n'.repeat(64)}2`,
    'm'.repeat(128),
    'with space',
    'with/slash',
    'with.dot',
    'with:colon',
    'with-dash',
    'with_dash',
    'näme',
  ]

  it('become wire names that every provider takes, each its own, the same in any order (name-length-64)', async () => {
    const gateway = await gatewayOver(server, names)
    const other = await gatewayOver(server, names.toReversed())
    const wireNames = names.map(
      (name) => gateway.registry.wireName(`mcp::${server}::${name}`) ?? '',
    )
    for (const wireName of wireNames) expect(wireName).toMatch(/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/)
    expect(new Set(wireNames.map((name) => name.toLowerCase())).size).toBe(names.length)
    expect(names.map((name) => other.registry.wireName(`mcp::${server}::${name}`))).toEqual(
      wireNames,
    )
  })

  it('lead back to the name that the server knows (name-length-64)', async () => {
    const gateway = await gatewayOver(server, names)
    for (const name of names) {
      const wireName = gateway.registry.wireName(`mcp::${server}::${name}`) ?? ''
      expect((await gateway.dispatch({ name: wireName, arguments: {} })).data).toBe(name)
    }
  })

  it('take no name of a local tool (shadow-builtin)', async () => {
    const local = defineTool({
      namespace: 'local',
      name: 'read_file',
      description: 'Reads a file.',
      parameters: { type: 'object' },
      execute: () => 'local',
    })
    const gateway = await gatewayOver('files', ['read_file'], [local])
    expect((await gateway.dispatch({ name: 'read_file', arguments: {} })).data).toBe('local')
    expect((await gateway.dispatch({ name: 'mcp::files::read_file', arguments: {} })).data).toBe(
      'read_file',
    )
  })
})
