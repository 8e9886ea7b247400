import type { ArgumentRule } from '../backend.ts'

/** A hostile text and whether an unchanged argument of it is harmless. */
export interface Attack {
  readonly name: string
  readonly value: string
  /** As one argument that no shell reads it means nothing. */
  readonly harmlessAsText: boolean
}

const anywhere: readonly Attack[] = [
  { name: 'shell operators', value: '; touch pwn', harmlessAsText: true },
  { name: 'command substitution', value: '$(touch pwn)', harmlessAsText: true },
  { name: 'second template pass', value: '{env:HOME}', harmlessAsText: true },
  { name: 'long option', value: '--output=pwn', harmlessAsText: false },
  { name: 'short option', value: '-opwn', harmlessAsText: false },
  { name: 'NUL', value: 'a\0b', harmlessAsText: false },
  { name: 'half a surrogate pair', value: '\uD800', harmlessAsText: false },
  { name: 'argument beyond the kernel limit', value: 'x'.repeat(131_072), harmlessAsText: false },
]

const byKind: { readonly [kind in NonNullable<ArgumentRule['kind']>]: readonly Attack[] } = {
  text: [],
  path: [
    { name: 'parent folder', value: '../../etc/passwd', harmlessAsText: false },
    { name: 'absolute path', value: '/etc/passwd', harmlessAsText: false },
    { name: 'environment of the process', value: '/proc/self/environ', harmlessAsText: false },
    { name: 'path on another host', value: 'host.example:/etc/passwd', harmlessAsText: false },
  ],
  url: [
    { name: 'local file', value: 'file:///etc/passwd', harmlessAsText: false },
    { name: 'user name', value: 'https://a@b.example/', harmlessAsText: false },
    { name: 'host that is an option', value: 'https://-oProxyCommand=x/', harmlessAsText: false },
  ],
  host: [
    { name: 'second command', value: 'h.example;id', harmlessAsText: false },
    { name: 'user name', value: 'root@h.example', harmlessAsText: false },
  ],
  rev: [{ name: 'file of a revision', value: 'HEAD:secret', harmlessAsText: false }],
}

/** The attacks that fit what a parameter is (G2). */
export function attacksOn({ kind = 'text', denyPrefix = [] }: ArgumentRule): readonly Attack[] {
  const prefixes = denyPrefix.map((prefix) => ({
    name: `beginning ${prefix}`,
    value: `${prefix}x`,
    harmlessAsText: false,
  }))
  return [...anywhere, ...byKind[kind], ...prefixes]
}
