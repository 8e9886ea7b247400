import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { expect, it } from 'vitest'

const cwd = fileURLToPath(new URL('../..', import.meta.url))

function read(path: string): string {
  return readFileSync(`${cwd}/${path}`, 'utf8')
}

it('all packages and pages name the same Node', () => {
  const manifests = globSync(['package.json', 'packages/*/package.json'], { cwd })
  const pages = globSync(['*.md', 'packages/*/README.md', 'docs/**/*.md'], { cwd })
  const named = [
    ...manifests.map((path) => {
      const { engines } = JSON.parse(read(path)) as { readonly engines?: { readonly node: string } }
      return { path, node: engines?.node }
    }),
    ...pages.flatMap((path) =>
      [...read(path).matchAll(/Node (22(?:\.\d+)*)/g)].map(([, node]) => ({
        path,
        node: `>=${node}`,
      })),
    ),
  ]
  expect(named.filter(({ node }) => node !== '>=22.19')).toEqual([])
  expect(named.length).toBeGreaterThan(manifests.length)
})
