import { readFileSync } from 'node:fs'

let known: { readonly name: string; readonly version: string } | undefined

/** How the adapter names itself to servers: by the version that its package states. Read at the first connection. */
export function ownClientInfo(): { readonly name: string; readonly version: string } {
  if (known === undefined) {
    // The same place seen from the sources and from the bundle.
    const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
    known = { name: 'callgate', version: (JSON.parse(text) as { version: string }).version }
  }
  return known
}
