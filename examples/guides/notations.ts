import { isDeepStrictEqual } from 'node:util'

import { readTools } from '@callgate/core'

// What a YAML or JSON file would hold.
const [bySchema, byInputs] = readTools([
  {
    name: 'log',
    description: 'Shows the latest commits.',
    adapter: 'cli',
    command: 'git',
    args_template: ['log', '--max-count={count}'],
    parameters: {
      type: 'object',
      properties: { count: { type: 'integer', minimum: 1, maximum: 50 } },
      required: ['count'],
      additionalProperties: false,
    },
    permissions: { tags: ['read'] },
    timeout_ms: 5000,
  },
  {
    name: 'log',
    description: 'Shows the latest commits.',
    backend: { type: 'cli', command: 'git', args_template: ['log', '--max-count={count}'] },
    inputs: [{ name: 'count', type: 'integer', required: true, range: [1, 50] }],
    metadata: { tags: ['read'] },
    timeout_seconds: 5,
  },
])
const { metadata, ...others } = byInputs!
console.log(isDeepStrictEqual(others, bySchema), metadata)
