import { defineConfig } from 'tsup'

// Run from a package folder: `tsup --config ../../tsup.config.ts`. Types are emitted by tsc, see tsconfig.build.json.
export default defineConfig((options) => ({
  entry:
    Array.isArray(options.entry) && options.entry.length > 0 ? options.entry : ['src/index.ts'],
  format: ['esm'],
  target: 'node22',
  platform: 'node',
  clean: true,
  sourcemap: true,
  dts: false,
  silent: true,
  tsconfig: '../../tsconfig.json',
}))
