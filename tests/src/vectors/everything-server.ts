import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(
  new URL('index.js', import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js')),
)

/** How the reference server is started over stdio. */
export const everythingOverStdio: { readonly command: string; readonly args: readonly string[] } = {
  command: process.execPath,
  args: [script, 'stdio'],
}

/** Starts the reference server over HTTP on a free port of this machine. */
export async function everythingOverHttp(): Promise<{ readonly url: string; stop(): void }> {
  const port = await freePort()
  const child: ChildProcess = spawn(process.execPath, [script, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: 'ignore',
  })
  const url = `http://127.0.0.1:${String(port)}/mcp`
  const end = performance.now() + 10_000
  while (!(await answers(url))) {
    if (performance.now() > end || child.exitCode !== null)
      throw new Error('the server did not start')
    await new Promise((resolve) => {
      setTimeout(resolve, 25)
    })
  }
  return { url, stop: () => child.kill('SIGKILL') }
}

async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(url)).body?.cancel()
    return true
  } catch {
    return false
  }
}

/** Below the ports that systems give to whoever asks for any: another test would soon have one of those. */
function freePort(): Promise<number> {
  const port = 10_000 + Math.floor(Math.random() * 20_000)
  return new Promise((resolve) => {
    const server = createServer().listen(port, '127.0.0.1', () => {
      server.close(() => resolve(port))
    })
    server.on('error', () => resolve(freePort()))
  })
}
