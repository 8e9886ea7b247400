import { defineTool, type FunctionTool } from '@callgate/core'

/** As many tools, no two of which share anything: each with a schema of three parameters of its own. */
export function manyTools(count: number): readonly FunctionTool[] {
  return Array.from({ length: count }, (_, n) =>
    defineTool({
      namespace: `mcp::server${n % 100}`,
      name: `tool_${n}`,
      description: `Does thing number ${n} with files, issues and reports of project ${n % 977}.`,
      parameters: {
        type: 'object',
        properties: {
          path: { type: 'string', description: `Where thing ${n} lies` },
          limit: { type: 'integer', minimum: 1, maximum: 1000 + n },
          deep: { type: 'boolean' },
        },
        required: ['path'],
        additionalProperties: false,
      },
      execute: () => n,
    }),
  )
}

/** The wire name of one of them. */
export function wireNameOf(n: number): string {
  return `mcp__server${n % 100}__tool_${n}`
}
