import { readFile } from 'node:fs/promises'

import { describe, expect, it } from 'vitest'

/** The text of a file of the repository. */
function read(path: string): Promise<string> {
  return readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
}

/** The body of an interface, by the indentation that the formatter gives it. */
function bodyOf(source: string, name: string): string {
  const body = new RegExp(`^export interface ${name}\\b[^]*?\\{\\n([^]*?)^\\}`, 'm').exec(
    source,
  )?.[1]
  if (body === undefined) throw new Error(`There is no interface ${name}.`)
  return body
}

/** The fields of an interface and of the blocks in it, as paths: `retry.maxRetries`. */
function fieldsOf(source: string, name: string): readonly string[] {
  const path: string[] = []
  return [...bodyOf(source, name).matchAll(/^( +)(?:readonly (\w+)\??:|(\w+)\??\()/gm)].map(
    ([, indent = '', field, method]) => {
      path.length = indent.length / 2 - 1
      path.push((field ?? method)!)
      return path.join('.')
    },
  )
}

/** The names in the first column of the tables of a page. */
function rowsOf(page: string): readonly string[] {
  return [...page.matchAll(/^\| (`[^|]*`) *\|/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  )
}

function section(page: string, heading: string): string {
  const text = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`))
  if (text === undefined) throw new Error(`There is no section ${heading}.`)
  return text
}

const sorted = (names: readonly string[]): readonly string[] => [...new Set(names)].toSorted()

describe('a page of the reference has a row for each field:', () => {
  it('tool-fields.md', async () => {
    const page = await read('docs/reference/tool-fields.md')
    const source = await read('packages/spec/src/tool.ts')
    const ofFunctions = await read('packages/core/src/define-tool.ts')
    const effects = fieldsOf(source, 'ToolEffects').map((field) => `effects.${field}`)
    const own = [
      ...fieldsOf(source, 'ToolDefinition'),
      ...effects,
      ...fieldsOf(ofFunctions, 'FunctionTool'),
    ]
    // Of these the rows of their fields say all.
    const blocks = new Set(['permissions', 'effects', 'limits'])
    expect(sorted(rowsOf(page))).toEqual(sorted(own.filter((field) => !blocks.has(field))))
  })

  it('call-context.md', async () => {
    const page = await read('docs/reference/call-context.md')
    const source = await read('packages/spec/src/call.ts')
    expect(sorted(rowsOf(page))).toEqual(sorted(fieldsOf(source, 'CallContext')))
  })

  it('hook-events.md', async () => {
    const page = await read('docs/reference/hook-events.md')
    const source = await read('packages/spec/src/events.ts')
    const events = [...bodyOf(source, 'CallgateEvents').matchAll(/^ {2}(\w+): \{/gm)].map(
      ([, event = '']) => event,
    )
    const [before = ''] = page.split(/^## /m)
    expect(rowsOf(before)).toEqual(events)
    expect(rowsOf(section(page, 'A call'))).toEqual(fieldsOf(source, 'CallPayload'))
  })

  it('hook-events.md, of each payload and answer', async () => {
    const page = await read('docs/reference/hook-events.md')
    const [, ...blocks] = bodyOf(await read('packages/spec/src/events.ts'), 'CallgateEvents').split(
      /^ {2}(?=\w+: \{)/m,
    )
    const named = blocks.map((block) => {
      const event = /\w+/.exec(block)![0]
      const row = new RegExp(`^\\| \`${event}\`.*$`, 'm').exec(page)?.[0] ?? ''
      const fields = [...block.matchAll(/readonly (\w+)\??:/g)].map(([, field = '']) => field)
      return { event, missing: fields.filter((field) => !new RegExp(`\\b${field}\\b`).test(row)) }
    })
    expect(named).toEqual(named.map(({ event }) => ({ event, missing: [] })))
  })

  it('gateway-options.md', async () => {
    const page = await read('docs/reference/gateway-options.md')
    const source = await read('packages/core/src/options.ts')
    const [before = ''] = page.split(/^## /m)
    expect(sorted(rowsOf(before))).toEqual(sorted(fieldsOf(source, 'GatewayOptions')))
    expect(sorted(rowsOf(section(page, 'Policy')))).toEqual(
      sorted(fieldsOf(source, 'PolicyOptions')),
    )
  })
})
