import { defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'

// Workspace packages resolve to their sources, so tests need no build.
const conditions = ['@callgate/source', ...defaultServerConditions]

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['{packages,apps}/*/test/**/*.test.ts', 'tests/test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Real child processes and servers: two workers are what two cores carry.
    maxWorkers: 2,
  },
})
