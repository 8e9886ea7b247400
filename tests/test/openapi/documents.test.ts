import { httpAdapter, loadOpenApi } from '@callgate/adapter-http'
import { checkSchema, checkToolSchema, sanitizeSchema, type Provider } from '@callgate/coercion'
import { createGateway } from '@callgate/core'
import { describe, expect, it } from 'vitest'

import { documentSources, findDocument, readDocument } from '../../src/openapi/documents.ts'

const providers: readonly Provider[] = [
  ...(['openai', 'openai-strict', 'anthropic', 'gemini', 'bedrock', 'mistral'] as const),
  ...(['llama.cpp', 'any'] as const),
]
const documents = await Promise.all(
  documentSources.map(async (source) => ({ ...source, ...(await findDocument(source)) })),
)
const server = 'https://api.example.com'

describe('real documents', () => {
  for (const { name, operations, path, missing } of documents) {
    const why = missing === undefined ? '' : ` (${missing})`
    describe.skipIf(missing !== undefined)(`${name}${why}`, () => {
      it('becomes one tool for each operation, with a name that every provider takes', async () => {
        const { tools, skipped } = loadOpenApi(await readDocument(path!), { name: 'api', server })
        console.log(
          `${name}: ${operations} operations, ${tools.length} tools, ${skipped.length} skipped`,
          ...skipped.map(({ operation, reason }) => `\n  ${operation}: ${reason}`),
        )
        expect(tools.length + skipped.length).toBe(operations)
        expect(skipped).toEqual([])
        const names = tools.map((tool) => `http__api__${tool.name}`)
        expect(names.filter((wire) => !/^[a-zA-Z0-9_-]{1,64}$/.test(wire))).toEqual([])
        expect(new Set(names.map((wire) => wire.toLowerCase())).size).toBe(operations)
      })

      it('gives schemas that every provider takes', { timeout: 240_000 }, async () => {
        const { tools } = loadOpenApi(await readDocument(path!), { name: 'api', server })
        const faults = tools.flatMap(({ name: tool, parameters }) =>
          providers.flatMap((provider) => {
            const shown = sanitizeSchema(parameters, { provider })
            // A strict mode cannot say everything; where it cannot, that is said.
            if (provider === 'openai-strict' && !shown.strict) return []
            return checkSchema(shown.schema, provider).map(
              (fault) => `${tool}, ${provider}: ${fault}`,
            )
          }),
        )
        expect(faults).toEqual([])
      })

      it('gives schemas that the gateway can check', { timeout: 240_000 }, async () => {
        const { tools } = loadOpenApi(await readDocument(path!), { name: 'api', server })
        const notes = tools.flatMap(({ parameters }) => checkToolSchema(parameters))
        // Patterns that may take exponential time are not run; nothing else is left out.
        expect(notes.filter(({ rule }) => rule !== 'pattern')).toEqual([])
      })

      it('is loaded by a gateway from its file', async () => {
        const gateway = createGateway({
          adapters: [httpAdapter({ documents: [{ name: 'api', document: path!, server }] })],
        })
        try {
          await gateway.start()
          expect(gateway.registry.list()).toHaveLength(operations)
        } finally {
          await gateway.close()
        }
      })
    })
  }
})
