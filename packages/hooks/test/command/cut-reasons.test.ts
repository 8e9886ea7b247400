import { expect, it } from 'vitest'

import { commandHook } from '../../src/command.ts'

it('a reason that is too long is not cut through the middle of a character', async () => {
  const script = `process.stderr.write('x'.repeat(399) + '😀'); process.exitCode = 2`
  const hook = commandHook({
    command: process.execPath,
    args: ['-e', script],
    dialect: 'exit-code',
    timeoutMs: 30_000,
  })
  expect(await hook({ tool: 'local::a' })).toEqual({ action: 'block', message: 'x'.repeat(399) })
})
