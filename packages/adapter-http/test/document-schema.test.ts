import type { ToolDefinition } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { loadOpenApi } from '../src/index.ts'
import { single, toolOf } from './documents.ts'

function converted(schema: object, version = '3.0.3'): unknown {
  const content = { 'application/json': { schema } }
  const { parameters } = toolOf(single({ requestBody: { content } }, '/x', version), 'op')
  return (parameters as { properties: { body: unknown } }).properties.body
}

function withBody(content: object): ToolDefinition {
  return toolOf(single({ requestBody: { content } }), 'op')
}

describe('schemas of 3.0 as 2020-12 (D2)', () => {
  it.each([
    [{ type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      { type: 'string', enum: ['a'], nullable: true },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      { allOf: [{ type: 'object' }], nullable: true },
      { anyOf: [{ allOf: [{ type: 'object' }] }, { type: 'null' }] },
    ],
    [{ minimum: 3, exclusiveMinimum: true }, { exclusiveMinimum: 3 }],
    [{ maximum: 3, exclusiveMaximum: false }, { maximum: 3 }],
    [{ type: 'object', example: 1, xml: {}, 'x-a': 1, discriminator: {} }, { type: 'object' }],
    [{ type: 'string', pattern: '^[a' }, { type: 'string' }],
    [
      { type: 'string', default: 'a', enum: ['a', 'b'] },
      { type: 'string', default: 'a', enum: ['a', 'b'] },
    ],
    [{ type: 'object', required: [] }, { type: 'object' }],
    [{ type: 'string', enum: [] }, { type: 'string' }],
  ])('%j', (schema, expected) => {
    expect(converted(schema)).toEqual(expected)
  })

  it('leaves the words of 3.1 as they are', () => {
    const schema = { type: ['string', 'null'], exclusiveMinimum: 3, const: 1 }
    expect(converted(schema, '3.1.0')).toEqual(schema)
  })

  it('keeps a property that is named like a word of the schema language', () => {
    const schema = { type: 'object', properties: { example: { type: 'string' }, __proto__x: {} } }
    expect(converted(schema)).toEqual(schema)
  })

  it('cuts long descriptions', () => {
    const { description } = converted({ description: 'x'.repeat(2000) }) as { description: string }
    expect(description).toHaveLength(400)
  })
})

describe('bodies of a document (D5)', () => {
  it('prefer JSON, and objects to lists of patches', () => {
    const schema = { type: 'object' }
    expect(
      withBody({ 'text/plain': { schema }, 'application/json': { schema } }).backend,
    ).toMatchObject({ body: { mediaType: 'application/json' } })
    expect(
      withBody({
        'application/json-patch+json': { schema },
        'application/merge-patch+json': { schema },
      }).backend,
    ).toMatchObject({ body: { mediaType: 'application/merge-patch+json' } })
  })

  it('prefer what can be sent', () => {
    const [gbk, binary, text] = ['text/csv; charset=GBK', 'application/pdf', 'text/csv']
    expect(withBody({ [gbk]: {}, [text]: {} }).backend).toMatchObject({ body: { mediaType: text } })
    expect(withBody({ [gbk]: {}, [binary]: {} }).backend).toMatchObject({
      body: { mediaType: binary },
    })
  })

  it('take files as objects with content', () => {
    const found = withBody({
      'multipart/form-data': {
        schema: {
          type: 'object',
          properties: {
            file: { type: 'string', format: 'binary' },
            files: { type: 'array', items: { type: 'string', format: 'binary' } },
            name: { type: 'string' },
          },
        },
      },
    })
    expect(found.backend).toMatchObject({
      body: { encoding: { file: { file: true }, files: { file: true } } },
    })
    expect(found.parameters).toMatchObject({
      properties: {
        body: { properties: { file: { required: ['content'] }, name: { type: 'string' } } },
      },
    })
  })

  it('find files in a schema that is put together', () => {
    const found = withBody({
      'multipart/form-data': {
        schema: { allOf: [{ properties: { file: { type: 'string', format: 'binary' } } }] },
      },
    })
    expect(found.backend).toMatchObject({ body: { encoding: { file: { file: true } } } })
  })

  it('carry the encoding of forms', () => {
    const found = withBody({
      'application/x-www-form-urlencoded': {
        schema: { type: 'object' },
        encoding: { expand: { style: 'deepObject', explode: true } },
      },
    })
    expect(found.backend).toMatchObject({
      body: { encoding: { expand: { style: 'deepObject', explode: true } } },
    })
  })
})

describe('Swagger 2.0 (D1)', () => {
  const document = {
    swagger: '2.0',
    host: 'api.example.com',
    basePath: '/v2',
    schemes: ['http', 'https'],
    consumes: ['application/json'],
    paths: {
      '/pets/{id}': {
        post: {
          operationId: 'op',
          parameters: [
            { name: 'id', in: 'path', required: true, type: 'integer', format: 'int64' },
            { name: 'tags', in: 'query', type: 'array', items: { type: 'string' } },
            { name: 'multi', in: 'query', type: 'array', collectionFormat: 'multi', items: {} },
            { name: 'pipes', in: 'query', type: 'array', collectionFormat: 'pipes', items: {} },
            { $ref: '#/parameters/pet' },
          ],
        },
      },
      '/upload': {
        post: {
          operationId: 'upload',
          consumes: ['multipart/form-data'],
          parameters: [
            { name: 'file', in: 'formData', type: 'file', required: true },
            { name: 'note', in: 'formData', type: 'string', description: 'A note' },
          ],
        },
      },
    },
    parameters: {
      pet: { name: 'pet', in: 'body', required: true, schema: { $ref: '#/definitions/Pet' } },
    },
    definitions: { Pet: { type: 'object', properties: { name: { type: 'string' } } } },
  }

  it('has its server in host, basePath and schemes', () => {
    expect(loadOpenApi(document, { name: 'api' }).server).toBe('https://api.example.com/v2')
  })

  it('has parameters with collection formats, and bodies', () => {
    const found = toolOf(document, 'op')
    expect(found.parameters).toMatchObject({
      properties: {
        id: { type: 'integer', format: 'int64' },
        tags: { type: 'array', items: { type: 'string' } },
        body: { $ref: '#/$defs/Pet' },
      },
      required: ['id', 'body'],
    })
    expect(found.backend).toMatchObject({
      parameters: [
        { name: 'id', in: 'path' },
        { name: 'tags', explode: false },
        { name: 'multi', explode: true },
        { name: 'pipes', style: 'pipeDelimited' },
      ],
      body: { mediaType: 'application/json' },
    })
  })

  it('has forms with files', () => {
    const found = toolOf(document, 'upload')
    expect(found.backend).toMatchObject({
      body: { mediaType: 'multipart/form-data', encoding: { file: { file: true } } },
    })
    expect(found.parameters).toMatchObject({
      properties: {
        body: {
          properties: { note: { type: 'string', description: 'A note' } },
          required: ['file'],
        },
      },
    })
  })

  it('sends a body as the type that a header parameter names', () => {
    const contentType = { name: 'Content-type', in: 'header', type: 'string' }
    const build = {
      operationId: 'build',
      parameters: [
        { ...contentType, enum: ['application/x-tar'], default: 'application/x-tar' },
        { name: 'context', in: 'body', schema: { type: 'string', format: 'binary' } },
      ],
    }
    const found = toolOf({ swagger: '2.0', paths: { '/build': { post: build } } }, 'build')
    expect(found.backend).toMatchObject({ body: { mediaType: 'application/x-tar' } })
    expect(found.parameters).toMatchObject({ properties: { body: { required: ['content'] } } })
    expect(JSON.stringify(found.parameters)).not.toContain('Content-type')
  })
})
