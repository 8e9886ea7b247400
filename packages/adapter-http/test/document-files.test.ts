import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { describe, expect, it } from 'vitest'

import { loadOpenApi, readDocument } from '../src/index.ts'
import { load } from './documents.ts'
import { testAdapter } from './host.ts'

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url))

async function inFolder<T>(
  files: Record<string, string>,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'callgate-'))
  try {
    await mkdir(join(folder, 'api', 'parts'), { recursive: true })
    await Promise.all(
      Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)),
    )
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

const main = `
openapi: 3.1.0
paths:
  /a:
    $ref: parts/paths.yaml#/a
`
const paths = `
a:
  post:
    operationId: a
    requestBody: { content: { application/json: { schema: { $ref: 'schemas.json#/Node' } } } }
`
const schemas = '{"Node":{"type":"object","properties":{"next":{"$ref":"#/Node"}}}}'

describe('a document whose parts hold themselves', () => {
  it('is read with the files beside it all the same', async () => {
    const text = `${main}x-circle: &circle { again: *circle, parts: [*circle] }\n`
    const files = { 'api/main.yaml': text, 'api/parts/paths.yaml': paths }
    const more = { ...files, 'api/parts/schemas.json': schemas }
    await inFolder(more, async (folder) => {
      const read = await readDocument(join(folder, 'api', 'main.yaml'), true)
      expect([...read.files.keys()]).toEqual(['parts/paths.yaml', 'parts/schemas.json'])
    })
  })
})

describe('what is no tool', () => {
  it('is listed with the reason, and the rest is there', () => {
    const { tools, skipped } = loadOpenApi(
      {
        openapi: '3.1.0',
        servers: [{ url: 'https://api.example.com' }],
        paths: {
          '/a': { get: { operationId: 'a' }, trace: {} },
          '/b': { get: { parameters: [{ $ref: '#/components/parameters/missing' }] } },
          '/c': { $ref: 'other.yaml#/c' },
          '/d/../e': { get: {} },
          '/f': { get: { servers: [{ url: 'https://other.example/' }] } },
          '/g': { get: { servers: [{ url: '/' }] } },
          '/i': { get: { parameters: [{ name: 'q', in: 'querystring', content: {} }] } },
          '/j': { get: { parameters: [{ name: 'c', in: 'cookie', style: 'cookie' }] } },
          '/h': { get: { parameters: [{ $ref: '#/paths/~1h/get/parameters/0' }] } },
        },
      },
      { name: 'api' },
    )
    expect(tools.map(({ name }) => name)).toEqual(['a', 'get_g'])
    expect(Object.fromEntries(skipped.map(({ operation, reason }) => [operation, reason]))).toEqual(
      {
        'TRACE /a': 'the method is not supported',
        'GET /b': '$ref "#/components/parameters/missing" leads nowhere',
        '* /c': '$ref "other.yaml#/c" leads out of the document',
        'GET /d/../e': 'The path "/d/../e" holds a dot segment.',
        'GET /f': 'it has a server of its own, https://other.example/; set "server" to use another',
        'GET /j': 'the style "cookie" is not supported',
        'GET /i': 'the parameter "q" has a place that is not supported',
        'GET /h': '$ref "#/paths/~1h/get/parameters/0" leads to itself',
      },
    )
  })
})

describe('servers (D9)', () => {
  it('come from the document, variables by their defaults', () => {
    const servers = [
      { url: 'https://{region}.example.com/v1/', variables: { region: { default: 'eu' } } },
    ]
    expect(loadOpenApi({ openapi: '3.1.0', servers }, { name: 'a' }).server).toBe(
      'https://eu.example.com/v1',
    )
  })

  it.each([
    [[]],
    [[{ url: '/v1' }]],
    [[{ url: '//host/v1' }]],
    [[{ url: 'https://{open}/v1' }]],
    [[{ url: 'ftp://h' }]],
  ])('%j is not enough without the operator', (servers) => {
    expect(() => loadOpenApi({ openapi: '3.1.0', servers }, { name: 'a' })).toThrow(
      expect.objectContaining({ rule: 'server-url', where: 'a' }),
    )
  })
})

describe('documents in files (D1)', () => {
  it.each([
    ['petstore-expanded-3.0.yaml', 4],
    ['link-example-3.0.yaml', 6],
    ['callback-example-3.0.yaml', 1],
    ['api-with-examples-3.0.yaml', 2],
  ])('%s', async (name, count) => {
    const { root } = await readDocument(fixture(name), false)
    const { tools, skipped } = load(root)
    expect(tools).toHaveLength(count)
    expect(skipped).toEqual([])
  })

  it('can be many, below the folder of the first', async () => {
    const files = {
      'api/main.yaml': main,
      'api/parts/paths.yaml': paths,
      'api/parts/schemas.json': schemas,
    }
    await inFolder(files, async (folder) => {
      const read = await readDocument(join(folder, 'api/main.yaml'), true)
      const { tools } = loadOpenApi(read.root, { name: 'x', server: 'https://h' }, read.files)
      expect(tools[0]?.parameters).toMatchObject({
        properties: { body: { $ref: '#/$defs/Node' } },
        $defs: { Node: { properties: { next: { $ref: '#/$defs/Node' } } } },
      })
    })
  })

  it('are not read unless the operator says so', async () => {
    await inFolder({ 'api/main.yaml': main }, async (folder) => {
      const { root, files } = await readDocument(join(folder, 'api/main.yaml'), false)
      expect(files.size).toBe(0)
      expect(load(root).skipped).toMatchObject([{ reason: expect.stringContaining('parts/paths') }])
    })
  })

  it.each(['../secret.yaml#/a', 'link.yaml#/a'])(
    'outside the folder are refused: %s',
    async (ref) => {
      const files = {
        'secret.yaml': 'a: {}',
        'api/main.yaml': main.replace('parts/paths.yaml#/a', ref),
      }
      await inFolder(files, async (folder) => {
        await symlink(join(folder, 'secret.yaml'), join(folder, 'api/link.yaml'))
        await expect(readDocument(join(folder, 'api/main.yaml'), true)).rejects.toMatchObject({
          rule: 'openapi-file',
          message: expect.stringContaining('outside'),
        })
      })
    },
  )

  it.each([
    ['x.yaml', 'openapi: 3.1.0\npaths:\n  /a: [1\n', /x\.yaml:4:1/],
    ['x.json', '{\n  "openapi": [1', /x\.json:2:/],
  ])('that do not parse are named with line and column: %s', async (name, text, where) => {
    await inFolder({ [name]: text }, async (folder) => {
      await expect(readDocument(join(folder, name), false)).rejects.toMatchObject({
        rule: 'openapi-syntax',
        where: expect.stringMatching(where),
        message: expect.not.stringMatching(/ at line/),
      })
    })
  })

  it('nested too deep are refused', async () => {
    await inFolder({ 'x.json': '{"a":'.repeat(200_000) }, async (folder) => {
      await expect(readDocument(join(folder, 'x.json'), false)).rejects.toMatchObject({
        rule: 'openapi-syntax',
      })
    })
  })

  it('with an alias bomb are refused', async () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
    for (let level = 1; level < 9; level += 1) {
      lines.push(
        `a${level}: &a${level} [${Array(9)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      )
    }
    await inFolder({ 'x.yaml': lines.join('\n') }, async (folder) => {
      await expect(readDocument(join(folder, 'x.yaml'), false)).rejects.toMatchObject({
        rule: 'openapi-syntax',
      })
    })
  })

  it('that are not there, or no OpenAPI', async () => {
    await expect(readDocument('/nowhere/x.yaml', false)).rejects.toMatchObject({
      rule: 'openapi-file',
      where: '/nowhere/x.yaml',
    })
    expect(() => load({ info: {} })).toThrow(expect.objectContaining({ rule: 'openapi-version' }))
    expect(() => load({ openapi: '4.0.0' })).toThrow(
      expect.objectContaining({ rule: 'openapi-version' }),
    )
  })

  it.each([
    ['a.yaml', '# old\nopenapi: 4.0.0\n', ':2:10', 'is written in version 4.0.0'],
    ['a.yaml', 'info: { openapi: 3.1.0 }\nswagger: 1.2\n', ':2:10', 'is written in version 1.2'],
    ['a.json', '{\n  "info": {},\n  "openapi": "4.0.0"\n}', ':3:14', 'is written in version 4.0.0'],
    ['a.yaml', 'info: {}\n', '', 'is not an OpenAPI document'],
  ])('of a version that is not known are named with the place: %s, %j', (name, text, place, what) =>
    inFolder({ [name]: text }, async (folder) => {
      const path = join(folder, name)
      const documents = [{ name: 'api', document: path, externalFiles: true }]
      await expect(testAdapter({ documents }).discover()).rejects.toMatchObject({
        rule: 'openapi-version',
        where: `${path}${place}`,
        message: expect.stringContaining(`"${path}${place}" ${what}`),
      })
    }),
  )

  it('of a version that YAML takes for a number are read', () => {
    expect(load({ openapi: 3.1 }).version).toBe('3.1')
    expect(load({ swagger: 2 }).version).toBe('2.0')
  })

  it('whose paths lead out are told by health, unless they are not wanted', async () => {
    const document = {
      openapi: '3.1.0',
      servers: [{ url: 'https://127.0.0.1' }],
      paths: {
        '/a': { $ref: 'other.yaml#/a' },
        '/b': { get: { parameters: [{ $ref: 'other.yaml#/b' }] } },
        '/c': { get: {}, trace: {} },
      },
    }
    const health = async (more: object) => {
      const { discover, instance } = testAdapter({
        documents: [{ name: 'api', document, ...more }],
      })
      await discover()
      return instance.health?.(new AbortController().signal)
    }
    const reason =
      'OpenAPI document "api": * /a is no tool: $ref "other.yaml#/a" leads out of the document'
    expect(await health({})).toEqual({ state: 'degraded', reason: `${reason}, and 1 more` })
    expect(await health({ exclude: { paths: ['/b'] } })).toEqual({ state: 'degraded', reason })
    expect(await health({ exclude: { paths: ['/a', '/b'] } })).toEqual({ state: 'ok' })
    expect(await health({ include: { paths: ['/c'] } })).toEqual({ state: 'ok' })
    expect(await health({ include: { tags: ['x'] } })).toEqual({ state: 'degraded', reason })
  })
})
