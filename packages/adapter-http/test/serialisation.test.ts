import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { HttpParameter } from '../src/index.ts'
import { declaredTool, testAdapter } from './host.ts'
import { startServer, type TestServer } from './server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const empty = ''
const text = 'blue'
const list = ['blue', 'black', 'brown']
const object = { R: 100, G: 200, B: 150 }

async function send(parameter: Omit<HttpParameter, 'name'>, value: unknown): Promise<string> {
  const { invoke } = testAdapter({ allow: ['127.0.0.1'] })
  const path = parameter.in === 'path' ? '/p/{color}' : '/p'
  const tool = declaredTool(
    { baseUrl: server.origin, path, parameters: [{ name: 'color', ...parameter }] },
    ['color'],
  )
  await invoke(tool, { color: value })
  if (parameter.in === 'header') return String(server.last().headers['color'])
  if (parameter.in === 'cookie') return String(server.last().headers['cookie'])
  return server.last().url.replace(/^\/p[/?]?/, '')
}

// The rows of "Style Examples", OpenAPI 3.1.1 section 4.8.12.4, which 3.0.4 shares, and what it leaves open.
const rows: readonly [Omit<HttpParameter, 'name'>, unknown, string][] = [
  [{ in: 'path', style: 'matrix', explode: false }, text, ';color=blue'],
  [{ in: 'path', style: 'matrix', explode: false }, list, ';color=blue,black,brown'],
  [{ in: 'path', style: 'matrix', explode: false }, object, ';color=R,100,G,200,B,150'],
  [{ in: 'path', style: 'matrix', explode: true }, text, ';color=blue'],
  [{ in: 'path', style: 'matrix', explode: true }, list, ';color=blue;color=black;color=brown'],
  [{ in: 'path', style: 'matrix', explode: true }, object, ';R=100;G=200;B=150'],
  [{ in: 'path', style: 'label', explode: false }, text, '.blue'],
  [{ in: 'path', style: 'label', explode: false }, list, '.blue,black,brown'],
  [{ in: 'path', style: 'label', explode: false }, object, '.R,100,G,200,B,150'],
  [{ in: 'path', style: 'label', explode: true }, text, '.blue'],
  [{ in: 'path', style: 'label', explode: true }, list, '.blue.black.brown'],
  [{ in: 'path', style: 'label', explode: true }, object, '.R=100.G=200.B=150'],
  [{ in: 'path' }, text, 'blue'],
  [{ in: 'path' }, list, 'blue,black,brown'],
  [{ in: 'path' }, object, 'R,100,G,200,B,150'],
  [{ in: 'path', style: 'simple', explode: true }, list, 'blue,black,brown'],
  [{ in: 'path', style: 'simple', explode: true }, object, 'R=100,G=200,B=150'],
  [{ in: 'path', style: 'pipeDelimited' }, list, 'blue%7Cblack%7Cbrown'],
  [{ in: 'query' }, empty, 'color='],
  [{ in: 'query' }, text, 'color=blue'],
  [{ in: 'query' }, list, 'color=blue&color=black&color=brown'],
  [{ in: 'query' }, object, 'R=100&G=200&B=150'],
  [{ in: 'query', explode: false }, list, 'color=blue,black,brown'],
  [{ in: 'query', explode: false }, object, 'color=R,100,G,200,B,150'],
  [{ in: 'query', style: 'spaceDelimited' }, list, 'color=blue%20black%20brown'],
  [{ in: 'query', style: 'spaceDelimited' }, object, 'color=R%20100%20G%20200%20B%20150'],
  [{ in: 'query', style: 'pipeDelimited' }, list, 'color=blue%7Cblack%7Cbrown'],
  [{ in: 'query', style: 'pipeDelimited' }, object, 'color=R%7C100%7CG%7C200%7CB%7C150'],
  [{ in: 'query', style: 'tabDelimited' }, list, 'color=blue%09black%09brown'],
  [
    { in: 'query', style: 'deepObject' },
    object,
    'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150',
  ],
  [{ in: 'query', style: 'deepObject' }, { a: { b: 1 } }, 'color%5Ba%5D%5Bb%5D=1'],
  [
    { in: 'query', style: 'deepObject' },
    { a: [1, 2] },
    'color%5Ba%5D%5B0%5D=1&color%5Ba%5D%5B1%5D=2',
  ],
  [{ in: 'query', contentType: 'application/json' }, { a: [1] }, 'color=%7B%22a%22%3A%5B1%5D%7D'],
  [{ in: 'query' }, [], ''],
  [{ in: 'query' }, null, ''],
  [{ in: 'query' }, true, 'color=true'],
  [{ in: 'query' }, [{ a: 1 }], 'color=%7B%22a%22%3A1%7D'],
  [{ in: 'query' }, "a b&c=d#e+f/g?h'", 'color=a%20b%26c%3Dd%23e%2Bf%2Fg%3Fh%27'],
  [{ in: 'query', allowReserved: true }, 'a b&c=d#e+f/g?h:i', 'color=a%20b%26c%3Dd%23e%2Bf/g?h:i'],
  [{ in: 'query', allowReserved: true }, '100%', 'color=100%25'],
  [{ in: 'query' }, '\ud800', 'color=%EF%BF%BD'],
  [{ in: 'header' }, text, 'blue'],
  [{ in: 'header' }, list, 'blue,black,brown'],
  [{ in: 'header' }, object, 'R,100,G,200,B,150'],
  [{ in: 'header', explode: true }, object, 'R=100,G=200,B=150'],
  [{ in: 'header', contentType: 'application/json' }, { a: 1 }, '{"a":1}'],
  [{ in: 'cookie' }, text, 'color=blue'],
  [{ in: 'cookie' }, list, 'color=blue; color=black; color=brown'],
  [{ in: 'cookie', explode: false }, list, 'color=blue,black,brown'],
  [{ in: 'cookie', explode: false }, object, 'color=R,100,G,200,B,150'],
]

describe('the style table (D5)', () => {
  it.each(rows)('writes %j with %j as %s', async (parameter, value, expected) => {
    expect(await send(parameter, value)).toBe(expected)
  })

  it.each([
    ['brackets', 'f%5Bt%5D%5B%5D=a&f%5Bt%5D%5B%5D=b'],
    ['repeat', 'f%5Bt%5D=a&f%5Bt%5D=b'],
    ['indices', 'f%5Bt%5D%5B0%5D=a&f%5Bt%5D%5B1%5D=b'],
  ])('writes lists in a deepObject by the rule %s', async (nestedArrays, expected) => {
    const { invoke } = testAdapter({ allow: ['127.0.0.1'] })
    const tool = declaredTool({
      baseUrl: server.origin,
      path: '/p',
      nestedArrays,
      parameters: [{ name: 'f', in: 'query', style: 'deepObject' }],
    })
    await invoke(tool, { f: { t: ['a', 'b'] } })
    expect(server.last().url).toBe(`/p?${expected}`)
  })
})

describe('path values (D6)', () => {
  it.each(['', '.', '..'])('refuses %j', async (value) => {
    await expect(send({ in: 'path' }, value)).rejects.toMatchObject({
      code: 'guard_refused',
      rule: 'path-segment',
      parameter: 'color',
      started: 'no',
    })
  })

  it.each([
    { in: 'path', style: 'label' },
    { in: 'path', style: 'matrix' },
  ] as const)('refuses a dot segment in style $style too', async (parameter) => {
    await expect(send(parameter, '.')).rejects.toMatchObject({ rule: 'path-segment' })
  })

  it('refuses values that only together make a dot segment', async () => {
    const { invoke } = testAdapter({ allow: ['127.0.0.1'] })
    const tool = declaredTool(
      {
        baseUrl: server.origin,
        path: '/x/{a}{b}/y',
        parameters: [
          { name: 'a', in: 'path', style: 'label' },
          { name: 'b', in: 'path', style: 'label' },
        ],
      },
      ['a', 'b'],
    )
    const before = server.seen.length
    await expect(invoke(tool, { a: [], b: [] })).rejects.toMatchObject({ rule: 'path-segment' })
    expect(server.seen.length).toBe(before)
  })

  it.each([
    ['a/b', 'a%2Fb'],
    ['a?b#c', 'a%3Fb%23c'],
    ['a%2fb', 'a%252fb'],
    ['a;b=c', 'a%3Bb%3Dc'],
    ['...', '...'],
    ['%2e%2e', '%252e%252e'],
    ['\\..\\', '%5C..%5C'],
    ['é', '%C3%A9'],
  ])('keeps %j in one segment', async (value, expected) => {
    expect(await send({ in: 'path' }, value)).toBe(expected)
  })
})
