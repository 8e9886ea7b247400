// Bundled, minified and gzipped size of every published package, against `sizeBudget` (bytes) in its package.json.
// Packages of this workspace and ajv are left out; every other dependency counts where the package says so.
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

import { build } from 'esbuild'

interface Manifest {
  readonly name: string
  readonly sizeBudget?: number
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
  const { outputFiles } = await build({
    entryPoints: [`packages/${folder}/dist/index.js`],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    external: bundled.has(manifest.name)
      ? ['ajv', 'ajv/*']
      : Object.keys(manifest.dependencies ?? {}),
    write: false,
    logLevel: 'error',
  })
  const bytes = gzipSync(outputFiles[0]!.contents).length
  const budget = manifest.sizeBudget ?? Infinity
  if (bytes > budget) over++
  console.log(
    `${bytes > budget ? 'OVER ' : 'ok   '} ${manifest.name.padEnd(24)} ${bytes} B gzip (budget ${budget})`,
  )
}
process.exitCode = over > 0 ? 1 : 0
