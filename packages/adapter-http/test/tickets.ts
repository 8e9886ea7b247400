/** A small OpenAPI 3.1 document that most tests share. */
export const ticketsDocument = {
  openapi: '3.1.0',
  info: { title: 'Tickets', version: '1' },
  servers: [{ url: 'https://tickets.example.com/v1' }],
  paths: {
    '/tickets': {
      get: {
        operationId: 'list',
        summary: 'List tickets',
        tags: ['tickets'],
        parameters: [
          { name: 'state', in: 'query', schema: { enum: ['open', 'closed'] } },
          {
            name: 'labels',
            in: 'query',
            explode: false,
            schema: { type: 'array', items: { type: 'string' } },
          },
        ],
      },
      post: {
        operationId: 'create',
        description: 'Create a ticket.',
        tags: ['tickets'],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Ticket' } } },
        },
      },
    },
    '/tickets/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      get: { operationId: 'get', summary: 'Read a ticket' },
      put: {
        operationId: 'replace',
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Ticket' } } },
        },
      },
      delete: { summary: 'Remove a ticket' },
    },
  },
  components: {
    schemas: {
      Ticket: {
        type: 'object',
        required: ['id', 'title'],
        properties: {
          id: { type: 'integer', readOnly: true },
          title: { type: 'string' },
          parent: { $ref: '#/components/schemas/Ticket' },
        },
      },
      Unused: { type: 'object' },
    },
  },
} as const
