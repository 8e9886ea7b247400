import { readFile } from 'node:fs/promises'

import { expect, it } from 'vitest'

import { configSchema } from '../src/config-schema.ts'

interface Schema {
  readonly properties?: { readonly [key: string]: Schema }
  readonly additionalProperties?: Schema
  readonly items?: Schema
}

/** The keys in the first column of the tables of a text. */
function rowsOf(text: string): readonly string[] {
  return [...text.matchAll(/^\| (`[^|]*`) *\|/gm)]
    .flatMap(([, names = '']) => [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
    .toSorted()
}

function keysOf(schema: Schema | undefined): readonly string[] {
  return Object.keys(schema?.properties ?? {}).toSorted()
}

it('the reference has a row for each key of a configuration', async () => {
  const file = new URL('../../../docs/reference/playground-configuration.md', import.meta.url)
  const [whole = '', server = '', document = '', tool = ''] = (await readFile(file, 'utf8')).split(
    /^## /m,
  )
  const schema = configSchema as Schema
  const { mcp_servers: servers, openapi, tools } = schema.properties ?? {}
  expect(rowsOf(whole)).toEqual(keysOf(schema))
  expect(rowsOf(server)).toEqual(keysOf(servers?.additionalProperties))
  expect(rowsOf(document)).toEqual(keysOf(openapi?.additionalProperties))
  expect(rowsOf(tool)).toEqual(keysOf(tools?.items))
})
