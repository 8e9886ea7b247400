import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

/** What a bundler keeps of the package for a program that takes one name of it. */
async function kept(name: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { ${name} } from '@callgate/spec'\nconsole.log(${name})`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
    format: 'esm',
    conditions: ['@callgate/source'],
  })
  return outputFiles[0]!.text
}

describe('the table of error codes', () => {
  it.each(['ToolError', 'defineAdapter', 'isBoundAdapter'])(
    'is left out of a bundle that takes %s alone',
    async (name) => {
      expect(await kept(name)).not.toContain('Too many calls are waiting')
    },
  )

  it('is there where it is used', async () => {
    expect(await kept('errorCodes')).toContain('Too many calls are waiting')
  })
})
