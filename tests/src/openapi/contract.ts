import { httpAdapter } from '@callgate/adapter-http'
import { createGateway, type Gateway } from '@callgate/core'
import type { ToolDefinition, ToolResult } from '@callgate/spec'
import { Ajv2020 } from 'ajv/dist/2020.js'

import { leaves } from './leaves.ts'
import { startMock, type MockRequest, type MockServer } from './mock/server.ts'
import { record } from './pointer.ts'
import { sampleOf } from './sample.ts'

/** What came of calling operations of a document. */
export interface ContractReport {
  readonly called: number
  /** Tools for which no fitting arguments could be made up. */
  readonly unsampled: readonly string[]
  /** What went wrong, by tool. */
  readonly faults: readonly string[]
}

/** Calls each `every`th tool of a document through a gateway, at a server that is made of the same document. */
export async function checkContract(root: object, every: number): Promise<ContractReport> {
  const mock = await startMock(root)
  const gateway = createGateway({
    adapters: [
      httpAdapter({
        documents: [{ name: 'api', document: root, server: mock.address }],
        allow: ['127.0.0.1'],
      }),
    ],
    // What a DELETE may do is not the question here, nor how much of an answer a model reads.
    policy: { risk: () => ({ level: 'low', score: 0, factors: [] }), resultCapBytes: 10_000_000 },
  })
  try {
    await gateway.start()
    const tools = gateway.registry.list().filter((_, index) => index % every === 0)
    return await callAll(tools, gateway, mock)
  } finally {
    await gateway.close()
    await mock.close()
  }
}

async function callAll(
  tools: readonly ToolDefinition[],
  gateway: Gateway,
  mock: MockServer,
): Promise<ContractReport> {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, addUsedSchema: false })
  const unsampled: string[] = []
  const faults: string[] = []
  let called = 0
  for (const tool of tools) {
    const values = sampleOf(tool.parameters, tool.parameters)
    if (!ajv.validate(tool.parameters as object, values)) {
      unsampled.push(`${tool.name}: ${ajv.errorsText()}`)
      continue
    }
    called++
    const name = `${tool.namespace}::${tool.name}`
    const result = await gateway.dispatch({ id: name, name, arguments: values })
    faults.push(
      ...differences(tool, record(values), result, mock.take()).map((fault) => `${name}: ${fault}`),
    )
  }
  return { called, unsampled, faults }
}

/** What differs between the call and what the server understood, and between its answer and the result. */
function differences(
  { backend }: ToolDefinition,
  sent: Record<string, unknown>,
  result: ToolResult,
  requests: readonly MockRequest[],
): readonly string[] {
  const [request] = requests
  if (request === undefined || requests.length > 1) {
    return [`${requests.length} requests; ${result.status} ${result.error?.message ?? ''}`]
  }
  const block = backend as unknown as HttpBackend
  const expected = (block.parameters ?? []).map(({ in: place, name, argument = name }) => ({
    name: `${place} ${name}`,
    value: sent[argument],
  }))
  return [
    ...request.faults,
    ...differs('operation', `${block.method} ${block.path}`, request.operation),
    ...expected.flatMap(({ name, value }) =>
      differs(name, leaves(value), leaves(request.parameters.get(name))),
    ),
    ...differs('body', leaves(sent[block.body?.argument ?? '']), leaves(request.body)),
    ...differs('status', 'ok', result.status),
    ...differs('answer', request.answered, answerOf(result, request.answered)),
  ]
}

/** As much of the backend block as the comparison needs. */
interface HttpBackend {
  readonly method: string
  readonly path: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly argument?: string
  }[]
  readonly body?: { readonly argument?: string }
}

function differs(what: string, expected: unknown, got: unknown): readonly string[] {
  const [one, other] = [JSON.stringify(expected), JSON.stringify(got)]
  return one === other ? [] : [`${what} ${other?.slice(0, 300)} instead of ${one?.slice(0, 300)}`]
}

/** What of the result is the answer of the server; bytes stand in a blob, or in a part where they are an image. */
function answerOf({ data, content }: ToolResult, answered: unknown): unknown {
  if (answered === undefined) return undefined
  if (typeof answered !== 'string') return data
  const { blobId, bytes } = record(data)
  if (blobId !== undefined && bytes === answered.length) return answered
  const [part] = content
  if (part?.type === 'image') return Buffer.from(part.data).toString()
  return part?.type === 'text' ? part.text : undefined
}
