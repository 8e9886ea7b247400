import type { IncomingMessage } from 'node:http'

import { readBody } from './body.ts'
import { decodeQuery, decodeSimple } from './decode.ts'
import { mockOperations, type MockParameter, type MockResponse } from './operations.ts'
import { createRoutes, type Route } from './routes.ts'
import { mockSchemas, type MockSchemas } from './schemas.ts'

/** One request as the server understood it. */
export interface Understood {
  /** `METHOD path` of the operation that it is for, as the document writes it; undefined: none. */
  readonly operation: string | undefined
  /** Decoded values by `place name`. */
  readonly parameters: ReadonlyMap<string, unknown>
  readonly body: unknown
  /** What does not fit the operation. */
  readonly faults: readonly string[]
  readonly answer: MockResponse | undefined
}

type Pairs = readonly (readonly [name: string, text: string])[]

/** What makes a request understood, for a document. */
export function createReader(
  root: unknown,
): (request: IncomingMessage, target: string, content: Buffer) => Promise<Understood> {
  const schemas = mockSchemas(root)
  const find = createRoutes(mockOperations(root))
  return async (request, target, content) => {
    const [path = '', query = ''] = target.split('?')
    const route = find(request.method ?? '', path)
    if (route === undefined) return notUnderstood(`no operation for ${request.method} ${target}`)
    const pairs: Pairs = [...new URLSearchParams(query)]
    const read = parametersOf(request, route, pairs, root, schemas)
    const type = request.headers['content-type'] ?? ''
    const body = await readBody(type, content, route.operation, root, schemas)
    return {
      operation: `${route.operation.method} ${route.operation.path}`,
      parameters: read.values,
      body: body.value,
      faults: [...read.faults, ...body.faults],
      answer: route.operation.response,
    }
  }
}

/** A request that is for no operation, or that cannot be read. */
export function notUnderstood(fault: string): Understood {
  return {
    operation: undefined,
    parameters: new Map(),
    body: undefined,
    faults: [fault],
    answer: undefined,
  }
}

function parametersOf(
  request: IncomingMessage,
  { operation, placeholders }: Route,
  pairs: Pairs,
  root: unknown,
  schemas: MockSchemas,
): { readonly values: ReadonlyMap<string, unknown>; readonly faults: readonly string[] } {
  const values = new Map<string, unknown>()
  const faults: string[] = []
  const used = new Set<Pairs[number]>()
  const valueOf = (parameter: MockParameter): unknown => {
    if (parameter.in === 'query') {
      const decoded = decodeQuery(pairs, parameter, root)
      for (const pair of decoded.used) used.add(pair)
      return decoded.value
    }
    const text =
      parameter.in === 'path'
        ? placeholders[parameter.name]
        : request.headers[parameter.name.toLowerCase()]
    return typeof text === 'string' ? decodeSimple(text, parameter, root) : undefined
  }
  for (const parameter of operation.parameters.filter(({ in: place }) => place !== 'formData')) {
    const name = `${parameter.in} ${parameter.name}`
    const value = valueOf(parameter)
    if (value === undefined) {
      if (parameter.required) faults.push(`${name} is missing`)
      continue
    }
    values.set(name, value)
    const broken = schemas.faults(parameter.schema, value, !parameter.isJson)
    faults.push(...broken.map((fault) => `${name}${fault}`))
  }
  const strangers = pairs.filter((pair) => !used.has(pair)).map(([name]) => name)
  return {
    values,
    faults: [...faults, ...strangers.map((name) => `query ${name} is not declared`)],
  }
}
