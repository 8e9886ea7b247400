import { describe, expect, it } from 'vitest'

import { load, single, toolOf } from './documents.ts'
import { ticketsDocument } from './tickets.ts'

const paths = (ids: readonly (string | undefined)[]) => ({
  openapi: '3.1.0',
  paths: Object.fromEntries(
    ids.map((operationId, index) => [`/p${index}`, { get: { operationId } }]),
  ),
})
const names = (ids: readonly (string | undefined)[]) =>
  load(paths(ids)).tools.map(({ name }) => name)

const pathOf = (from: object) =>
  new Map(load(from).tools.map(({ name, backend }) => [name, backend['path']]))

describe('tools of a document (R8.3)', () => {
  it('are named by operationId, or method and path', () => {
    expect(load(ticketsDocument).tools.map(({ name }) => name)).toEqual([
      'list',
      'create',
      'get',
      'replace',
      'delete_tickets_id',
    ])
  })

  it('say where they go', () => {
    expect(toolOf(ticketsDocument, 'get')).toMatchObject({
      namespace: 'api',
      description: 'Read a ticket',
      backend: {
        adapter: 'http',
        document: 'api',
        baseUrl: 'https://api.example.com/v1',
        method: 'GET',
        path: '/tickets/{id}',
        parameters: [{ name: 'id', in: 'path' }],
      },
    })
  })

  it('have the effects that their method promises', () => {
    expect(toolOf(ticketsDocument, 'get').effects).toMatchObject({
      readOnly: true,
      idempotent: true,
    })
    expect(toolOf(ticketsDocument, 'create').effects).toEqual({
      readOnly: false,
      idempotent: false,
    })
    expect(toolOf(ticketsDocument, 'replace').effects).toEqual({
      readOnly: false,
      idempotent: true,
    })
    expect(toolOf(ticketsDocument, 'delete_tickets_id').effects).toMatchObject({
      idempotent: true,
      destructive: true,
    })
    const keyed = toolOf(ticketsDocument, 'create', { idempotencyHeader: 'Idempotency-Key' })
    expect(keyed.effects).toMatchObject({ idempotent: true })
  })

  it('keep references, with what is reachable in $defs and without readOnly fields', () => {
    expect(toolOf(ticketsDocument, 'create').parameters).toEqual({
      type: 'object',
      properties: { body: { $ref: '#/$defs/Ticket' } },
      required: ['body'],
      additionalProperties: false,
      $defs: {
        Ticket: {
          type: 'object',
          required: ['title'],
          properties: { title: { type: 'string' }, parent: { $ref: '#/$defs/Ticket' } },
        },
      },
    })
  })

  it.each([
    [{ tags: ['tickets'] }, ['list', 'create']],
    [{ methods: ['delete'] }, ['delete_tickets_id']],
    [{ paths: ['/tickets/*'] }, ['get', 'replace', 'delete_tickets_id']],
    [{ readOnly: true }, ['list', 'get']],
    [{ operations: ['get', 'delete_tickets_id'] }, ['get', 'delete_tickets_id']],
    [{ readOnly: true, paths: ['/tickets'] }, ['list']],
  ])('are chosen by %j', (include, expected) => {
    expect(load(ticketsDocument, { include }).tools.map(({ name }) => name)).toEqual(expected)
    const left = load(ticketsDocument, { exclude: include }).tools.map(({ name }) => name)
    expect(left).toHaveLength(5 - expected.length)
  })

  it.each(['include', 'exclude'])('are told of where %s names one that is not there', (option) => {
    const filter = { operations: ['get', 'delete_ticket'] }
    expect(load(ticketsDocument, { [option]: filter }).skipped).toEqual([
      { operation: 'delete_ticket', reason: expect.stringContaining(`"${option}" names it`) },
    ])
  })
})

describe('parameters that a value would not be sent by', () => {
  const argumentsOf = (path: string, parameters: readonly object[], options = {}) => {
    const [found] = load(
      { openapi: '3.1.0', paths: { [path]: { post: { parameters } } } },
      options,
    ).tools
    const schema = found?.parameters as { properties: object; required?: readonly string[] }
    return [Object.keys(schema.properties), schema.required]
  }

  it('are left out: of a path that has no place for them', () => {
    const other = { name: 'other', in: 'path', required: true, schema: { type: 'string' } }
    expect(argumentsOf('/a/{id}', [other])).toEqual([['id'], ['id']])
  })

  it('are left out: a second time for a placeholder that stands twice', () => {
    expect(argumentsOf('/a/{id}/b/{id}', [])).toEqual([['id'], ['id']])
  })

  it('are left out: the header that carries the idempotency key', () => {
    const key = { name: 'Idempotency-Key', in: 'header', required: true }
    const options = { idempotencyHeader: 'idempotency-key' }
    expect(argumentsOf('/a', [key], options)).toEqual([[], undefined])
    expect(argumentsOf('/a', [key])).toEqual([['Idempotency-Key'], ['Idempotency-Key']])
  })
})

describe('pagination of a document', () => {
  it('goes to the operation that it names, and says where there is none', () => {
    const pagination = { list: { by: 'link' }, lost: { by: 'link' } } as const
    expect(toolOf(ticketsDocument, 'list', { pagination }).backend).toMatchObject({
      pagination: { by: 'link' },
    })
    expect(load(ticketsDocument, { pagination }).skipped).toMatchObject([{ operation: 'lost' }])
  })

  it('goes to no operation that has the name of what every object has', () => {
    const pagination = { list: { by: 'link' } } as const
    for (const { backend } of load(paths(['constructor', 'toString']), { pagination }).tools) {
      expect(backend).not.toHaveProperty('pagination')
    }
  })
})

describe('names (D3)', () => {
  it('hold what every provider takes', () => {
    expect(names(['repos/get-content', 'find pet by id', '日本', undefined])).toEqual([
      'repos_get-content',
      'find_pet_by_id',
      'get_p2',
      'get_p3',
    ])
  })

  it('are unique, also where case or dashes are folded', () => {
    const found = names(['get-x', 'get_x', 'GET_X', 'y'])
    expect(new Set(found.map((name) => name.toLowerCase().replaceAll('-', '_'))).size).toBe(4)
    expect(found[3]).toBe('y')
  })

  it('do not depend on the order of the document', () => {
    const document = paths(['same', 'same', 'z'.repeat(90)])
    const reversed = {
      ...document,
      paths: Object.fromEntries(Object.entries(document.paths).toReversed()),
    }
    expect(pathOf(reversed)).toEqual(new Map([...pathOf(document)].toReversed()))
  })

  it('leave room for adapter and document in the wire name', () => {
    const [name = ''] = names(['z'.repeat(90)])
    expect(`http__api__${name}`).toHaveLength(64)
  })
})

describe('parameters (D4, D7)', () => {
  it('of one name in several places stay apart', () => {
    const found = toolOf(
      single(
        {
          parameters: [
            { name: 'id', in: 'query', schema: { type: 'string' } },
            { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
            { name: 'body', in: 'query', schema: {} },
          ],
          requestBody: { content: { 'application/json': { schema: { type: 'array' } } } },
        },
        '/x/{id}',
      ),
      'op',
    )
    expect(Object.keys((found.parameters as { properties: object }).properties)).toEqual([
      'id',
      'query_id',
      'body',
      'request_body',
    ])
    expect(found.backend).toMatchObject({
      parameters: [
        { name: 'id', in: 'path' },
        { name: 'id', in: 'query', argument: 'query_id' },
        { name: 'body', in: 'query' },
      ],
      body: { argument: 'request_body' },
    })
  })

  it('of the operation win over those of the path', () => {
    const document = single({
      parameters: [{ name: 'a', in: 'query', schema: { type: 'integer' } }],
    })
    Object.assign(document.paths['/x'] ?? {}, {
      parameters: [{ name: 'a', in: 'query', required: true, schema: { type: 'string' } }],
    })
    expect(toolOf(document, 'op').parameters).toMatchObject({
      properties: { a: { type: 'integer' } },
    })
  })

  it('that only the gateway may set are left out', () => {
    const parameters = ['Authorization', 'Host', 'Proxy-X', 'Content-Type', 'X-Ok'].map((name) => ({
      name,
      in: 'header',
      required: true,
      schema: { type: 'string' },
    }))
    expect(toolOf(single({ parameters }), 'op').parameters).toMatchObject({
      properties: { 'X-Ok': { type: 'string' } },
      required: ['X-Ok'],
    })
  })

  it('that the operator fills are left out', () => {
    const parameters = [
      { name: 'token', in: 'query', required: true, schema: { type: 'string' } },
      { name: 'X-Tenant', in: 'header', required: true, schema: { type: 'string' } },
    ]
    const found = toolOf(single({ parameters }), 'op', {
      auth: { type: 'apiKey', in: 'query', name: 'token', value: '{env:T}' },
      headers: { 'x-tenant': 'a' },
    })
    expect(found.parameters).toEqual({
      type: 'object',
      properties: {},
      additionalProperties: false,
    })
  })

  it('of the path that nobody declared are texts', () => {
    expect(toolOf(single({}, '/x/{id}'), 'op').parameters).toMatchObject({
      properties: { id: { type: 'string' } },
      required: ['id'],
    })
  })
})
