// Bundled, minified and gzipped size of every published package, against `sizeBudget` (bytes) in its package.json, and of
// the exports that `sizeOf` names there, against the budget of each.
// Packages of this workspace and ajv are left out; every other dependency counts where the package says so.
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

import { build } from 'esbuild'

interface Manifest {
  readonly name: string
  readonly sizeBudget?: number
  readonly sizeOf?: { readonly [exports: string]: number }
  readonly dependencies?: { readonly [name: string]: string }
}

/** Runtime-neutral packages promise their size with all that is bundled into them but ajv. */
const bundled = new Set([
  '@callgate/spec',
  '@callgate/hooks',
  '@callgate/coercion',
  '@callgate/core',
])

let over = 0
for (const folder of readdirSync('packages').toSorted()) {
  const manifest = JSON.parse(readFileSync(`packages/${folder}/package.json`, 'utf8')) as Manifest
  const external = bundled.has(manifest.name)
    ? ['ajv', 'ajv/*']
    : Object.keys(manifest.dependencies ?? {})
  const budgets = { '*': manifest.sizeBudget ?? Infinity, ...manifest.sizeOf }
  for (const [exports, budget] of Object.entries(budgets)) {
    const from = exports === '*' ? exports : `{ ${exports} }`
    const { outputFiles } = await build({
      stdin: {
        contents: `export ${from} from './packages/${folder}/dist/index.js'`,
        resolveDir: process.cwd(),
      },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'node',
      external,
      write: false,
      logLevel: 'error',
    })
    const bytes = gzipSync(outputFiles[0]!.contents).length
    if (bytes > budget) over++
    const verdict = bytes > budget ? 'OVER ' : 'ok   '
    const what = exports === '*' ? manifest.name : `  ${exports}`
    console.log(`${verdict} ${what.padEnd(24)} ${bytes} B gzip (budget ${budget})`)
  }
}
process.exitCode = over > 0 ? 1 : 0
