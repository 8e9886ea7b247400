import { fileURLToPath } from 'node:url'

/** The program of the runner: beside this file, in the sources as well as in the built package. */
export const runnerFile: string = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './runner.ts' : './runner.js', import.meta.url),
)
