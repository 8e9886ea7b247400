import { child, locate, record, text, type Located } from '../pointer.ts'

/** A parameter as the document declares it, Swagger 2.0 in the words of OpenAPI 3. */
export interface MockParameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly style: string
  readonly explode: boolean
  /** Written as JSON instead of by style. */
  readonly isJson: boolean
  /** Where its schema stands. */
  readonly schema: string
}

/** What the server does with one operation. */
export interface MockOperation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly MockParameter[]
  /** By media type, where the schema stands; fields of a form of Swagger 2.0 are parameters. */
  readonly bodies: ReadonlyMap<string, string>
  readonly bodyRequired: boolean
  readonly response: MockResponse
}

export interface MockResponse {
  readonly status: number
  readonly mediaType?: string
  readonly schema?: string
}

const methods = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete']

/** Reads the operations of a document, independently of the adapter. */
export function mockOperations(root: unknown): readonly MockOperation[] {
  return Object.keys(record(record(root)['paths'])).flatMap((path) => {
    const item = locate(root, child('#/paths', path))
    return methods
      .filter((method) => method in item.node)
      .map((method) => operationOf(root, path, method, item))
  })
}

function operationOf(root: unknown, path: string, method: string, item: Located): MockOperation {
  const { node, at } = locate(root, child(item.at, method))
  const declared = new Map(
    [...childrenOf(root, item, 'parameters'), ...childrenOf(root, { node, at }, 'parameters')].map(
      (found) => [`${String(found.node['in'])} ${String(found.node['name'])}`, found] as const,
    ),
  )
  const parameters = [...declared.values()]
  const bodyParameter = parameters.find((found) => found.node['in'] === 'body')
  const body =
    node['requestBody'] === undefined ? undefined : locate(root, child(at, 'requestBody'))
  const typeHeader = parameters.find((found) => isTypeHeader(found.node))
  const consumes = typeHeader?.node['enum'] ??
    node['consumes'] ??
    record(root)['consumes'] ?? ['application/json']
  return {
    method: method.toUpperCase(),
    path,
    parameters: parameters.filter((found) => found !== bodyParameter).map(parameterOf),
    bodies: new Map([
      ...Object.keys(record(body?.node['content'])).map(
        (type) => [type, child(child(child(body!.at, 'content'), type), 'schema')] as const,
      ),
      ...(bodyParameter ? (consumes as string[]) : []).map(
        (type) => [type, child(bodyParameter!.at, 'schema')] as const,
      ),
    ]),
    bodyRequired: (body ?? bodyParameter)?.node['required'] === true,
    response: method === 'head' ? { status: 200 } : responseOf(root, { node, at }),
  }
}

function isTypeHeader(node: Located['node']): boolean {
  return node['in'] === 'header' && String(node['name']).toLowerCase() === 'content-type'
}

function childrenOf(root: unknown, { node, at }: Located, key: string): readonly Located[] {
  const items = node[key]
  const count = Array.isArray(items) ? items.length : 0
  return Array.from({ length: count }, (_, index) => locate(root, child(child(at, key), index)))
}

const formatStyles: { readonly [format: string]: string } = {
  ssv: 'spaceDelimited',
  pipes: 'pipeDelimited',
}

function parameterOf({ node, at }: Located): MockParameter {
  const place = String(node['in'])
  const isForm = place === 'query' || place === 'cookie'
  const hasSchema = 'schema' in node
  const [mediaType] = Object.keys(record(node['content']))
  const format = text(node['collectionFormat']) ?? ''
  const style = text(node['style']) ?? formatStyles[format] ?? (isForm ? 'form' : 'simple')
  const explodes = hasSchema ? style === 'form' || style === 'deepObject' : format === 'multi'
  return {
    name: String(node['name']),
    in: place,
    required: node['required'] === true,
    style,
    explode: typeof node['explode'] === 'boolean' ? node['explode'] : explodes,
    isJson: mediaType !== undefined,
    schema:
      mediaType === undefined
        ? hasSchema
          ? child(at, 'schema')
          : at
        : child(child(child(at, 'content'), mediaType), 'schema'),
  }
}

/** The first answer that is a success, as JSON where it can be. */
function responseOf(root: unknown, { node, at }: Located): MockResponse {
  const responses = record(node['responses'])
  const code = Object.keys(responses).find((name) => /^2(\d\d|XX)$/i.test(name))
  if (code === undefined) return { status: 200 }
  const status = Number(code.replace(/XX/i, '00'))
  const found = locate(root, child(child(at, 'responses'), code))
  if ('schema' in found.node) {
    return { status, mediaType: 'application/json', schema: child(found.at, 'schema') }
  }
  const types = Object.keys(record(found.node['content']))
  const mediaType = types.find((type) => /[/+]json\b/.test(type)) ?? types[0]
  if (mediaType === undefined) return { status }
  const schema = child(child(child(found.at, 'content'), mediaType), 'schema')
  return { status, mediaType: mediaType === '*/*' ? 'application/json' : mediaType, schema }
}
