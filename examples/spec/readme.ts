import { defineAdapter, errorCodes, ToolError } from '@callgate/spec'

export const clock = defineAdapter<{ readonly zone: string }>({
  contract: 1,
  name: 'clock',
  capabilities: { isolation: 'none' },
  configSchema: { type: 'object', properties: { zone: { type: 'string' } }, required: ['zone'] },
  create: ({ zone }) => ({
    discover: async () => [
      {
        name: 'now',
        description: 'Tells the time.',
        parameters: { type: 'object' },
        backend: { adapter: 'clock' },
      },
    ],
    async invoke({ tool }) {
      if (tool.name === 'now') {
        return { data: new Date(0).toLocaleTimeString('en-GB', { timeZone: zone }) }
      }
      throw new ToolError({ code: 'tool_failed', message: `No ${tool.name}.`, started: 'no' })
    },
  }),
})

console.log(clock({ zone: 'UTC' }).name, Object.keys(errorCodes).length, 'error codes')
