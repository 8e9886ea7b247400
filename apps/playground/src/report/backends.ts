import type { Demo } from '../demo.ts'
import { columns, heading, paint } from './layout.ts'

/** What the demo runs on: three real backends, and the tools each of them has. */
export function describeBackends({ gateway, backends }: Demo): string {
  const toolsOf = (namespace: string): string => {
    const number = gateway.registry
      .list()
      .filter((tool) => tool.namespace.startsWith(namespace)).length
    return `${number} tool${number === 1 ? '' : 's'}`
  }
  return [
    paint('bold', 'Callgate: one checked path for every tool call'),
    heading(1, 'Three real backends'),
    ...columns([
      ['mcp', toolsOf('mcp'), `${backends.mcpServer}, over stdio`],
      ['cli', toolsOf('git'), `git, in ${backends.repository}`],
      [
        'http',
        toolsOf('http'),
        `a ticket service at ${backends.tickets}, from its OpenAPI document`,
      ],
    ]),
  ].join('\n')
}
