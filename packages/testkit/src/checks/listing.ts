import { checkToolSchema } from '@callgate/coercion'
import type { JsonSchema, ToolDefinition } from '@callgate/spec'

import { listed } from '../host/listing.ts'
import { withRunning } from '../host/running.ts'
import { check, fail, show } from '../measure/expect.ts'
import type { Check } from './check.ts'

const idOf = ({ namespace, name }: ToolDefinition): string => `${namespace}::${name}`

export const listing: Check = {
  name: 'listing',
  title: 'its listing is stable, and its tools are well formed',
  async run(subject) {
    await withRunning(subject, async ({ bound, instance, tools }) => {
      const first = await listed(bound, instance)
      const second = await listed(bound, instance)
      check(
        JSON.stringify(first) === JSON.stringify(second),
        'Two listings in a row differ; tools, their order and their schemas must stay the same.',
      )
      const ids = tools.map(idOf)
      const twice = ids.find((id, index) => ids.indexOf(id) !== index)
      check(twice === undefined, `The tool ${twice} comes twice.`)
      for (const tool of tools) checkTool(tool, bound.name)
    })
  },
}

function checkTool(tool: ToolDefinition, adapter: string): void {
  const id = idOf(tool)
  for (const key of ['name', 'description'] as const) {
    const text = tool[key]
    check(typeof text === 'string' && text.trim() !== '', `${id}: ${key} is ${show(text)}.`)
  }
  check(
    tool.backend?.adapter === adapter,
    `${id}: backend.adapter is ${show(tool.backend?.adapter)}; calls would not come to "${adapter}".`,
  )
  checkSchema(`${id}: parameters`, tool.parameters)
  if (tool.outputs !== undefined) checkSchema(`${id}: outputs`, tool.outputs)
}

function checkSchema(what: string, schema: JsonSchema): void {
  const kind = typeof schema
  check(kind === 'boolean' || (kind === 'object' && schema !== null), `${what} are no JSON Schema.`)
  try {
    checkToolSchema(schema)
  } catch (error) {
    fail(`${what} are no JSON Schema: ${show(error)}`)
  }
}
