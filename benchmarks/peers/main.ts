// Callgate beside its peers: `run bench:peers [dispatch|faults] [ROUNDS]`. The peers are installed when they are not yet.
// They are no part of the workspace, so that nobody who only builds and tests Callgate waits for them. Callgate itself is
// measured from its sources, as all benchmarks are: what is measured is what is being worked on, and nothing need be built
// first. Types are stripped when a module is loaded, so the code that runs is that of the package, unbundled.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))

/** npm writes this file when an installation is complete. */
const installed = `${here}node_modules/.package-lock.json`

function install(): void {
  const lock = `${here}package-lock.json`
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return
  console.log('Installing the peers (350 packages) in benchmarks/peers …')
  const { status, error } = spawnSync(
    'npm',
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund'],
    {
      cwd: here,
      stdio: ['ignore', 'inherit', 'inherit'],
      shell: process.platform === 'win32',
    },
  )
  if (status !== 0) throw new Error('The peers could not be installed.', { cause: error })
}

const [what = 'all', rounds = '100'] = process.argv.slice(2).filter((argument) => argument !== '--')
if (what !== 'faults') {
  install()
  const { run } = await import('./dispatch.ts')
  await run(Number(rounds))
}
if (what !== 'dispatch') {
  const { run } = await import('./faults.ts')
  await run()
}
