import { readFile } from 'node:fs/promises'

import { describe, expect, it } from 'vitest'

import { expectOneLine, file, start, type Ran } from './support.ts'

const schema = {
  type: 'object',
  properties: { 'page size': { type: 'integer' }, tags: { type: 'array', items: {} } },
  required: ['page size'],
  additionalProperties: false,
}
const inline = JSON.stringify(schema)

function repair(...args: readonly string[]): Promise<Ran> {
  return start(['repair', ...args])
}

/** What `--json` printed. */
function printed({ stdout }: Ran): Record<string, unknown> {
  return JSON.parse(stdout) as Record<string, unknown>
}

describe('start repair', () => {
  it('shows the schema, the text, the repairs, the errors and the result', async () => {
    const sent = `{'page_size': '25', "tags": "[1]", "more": None,}`
    const ran = await repair('--schema', inline, '--args', sent, '--provider', 'gemini')
    expect(ran.stderr).toBe('')
    for (const part of [
      /What the model sees \(gemini\)/,
      /"page_size": \{/,
      /lost +\/: additionalProperties/,
      /The text is read as what is nearly JSON/,
      /Repairs: 4/,
      /\(all\) +.* relaxed/,
      /\/page size +"page_size" → "page size" +rename/,
      /\/page size +"25" → 25 +text-to-number/,
      /\/tags +"\[1\]" → \[1\] +parse-json/,
      /Errors: 1/,
      /\(all\) +got the unknown field "more", expected one of "page size", "tags"/,
      /Result: it does not fit/,
      /"page size": 25,/,
    ]) {
      expect(ran.stdout).toMatch(part)
    }
    expect(ran.code).toBe(1)
  })

  it('reads a file that begins with a byte order mark, as Windows writes it', async () => {
    const path = await file('marked.json', `\u{FEFF}${inline}`)
    const sent = await file('marked-arguments.json', '\u{FEFF}{"page size":"3"}')
    const ran = await repair('--schema', path, '--args', `@${sent}`, '--json')
    expect(ran.stderr).toBe('')
    expect(printed(ran)).toMatchObject({ text: { rule: 'strict' }, value: { 'page size': 3 } })
  })

  it('exits 0 when the arguments fit, repaired or not', async () => {
    const repaired = await repair('--schema', inline, '--args', '{"page size":"3"}')
    expect(repaired.stdout).toContain('Result: it fits the schema')
    expect(repaired.code).toBe(0)
    const untouched = await repair('--schema', inline, '--args', '{"page size":3}')
    expect(untouched.stdout).toContain('Repairs: 0')
    expect(untouched.code).toBe(0)
  })

  it('gives the machine form with --json, with every digit', async () => {
    const ran = await repair('--json', '--schema', 'true', '--args', '{"id":9007199254740993}')
    expect(printed(ran)).toEqual({
      provider: 'any',
      shown: { schema: { type: 'object', properties: {} }, lossy: [], strict: false },
      notes: [],
      text: { read: true, rule: 'strict' },
      value: { id: '9007199254740993' },
      valid: true,
      errors: [],
      repairs: [],
    })
    expect(ran.code).toBe(0)
  })

  it('says where a text that was cut off ends, and completes nothing', async () => {
    const ran = await repair('--schema', inline, '--args', '{"page size": 2', '--json')
    expect(printed(ran)).toMatchObject({
      text: { read: false, fault: { kind: 'truncated', position: 15 } },
      valid: false,
      repairs: [],
    })
    expect(ran.code).toBe(4)
    const said = await repair('--schema', inline, '--args', '{"page size": 2')
    expect(said.stdout).toContain('The text is not read: truncated (truncated at 15)')
    expect(said.stdout).toMatch(
      /Errors: 1\n\s+\(all\) +got text that is truncated \(truncated at 15\), expected JSON\n/,
    )
    expect(said.stdout).toContain('Result: none')
  })

  it('names a field that is missing once', async () => {
    const ran = await repair('--schema', inline, '--args', '{}')
    expect(ran.stdout).toMatch(/\(all\) +got nothing, expected "page size" \(integer\)\s*\n/)
  })

  it('exits 4 for a text that is no arguments, as its help says', async () => {
    const ran = await repair('--schema', inline, '--args', 'hello')
    expect(ran.stdout).toContain('The text is not read')
    expect(ran.code).toBe(4)
    const { stdout } = await repair('--help')
    expect(stdout).toMatch(/1 they are read and do not fit[^]* 4 the text is read as no arguments/)
  })

  it('reads the schema and the arguments from files', async () => {
    const path = await file('schema.json', schema)
    const sent = await file('sent.txt', '```json\n{"page size": 2}\n```\n')
    const ran = await repair('--schema', path, '--args', `@${sent}`, '--json')
    expect(printed(ran)).toMatchObject({
      text: { rule: 'fence' },
      value: { 'page size': 2 },
      valid: true,
    })
  })

  it('reads either of them from standard input', async () => {
    const a = ['repair', '--json', '--schema', '-', '--args', '{"page size":"4"}']
    expect(printed(await start(a, process.env, inline))).toMatchObject({
      value: { 'page size': 4 },
    })
    const b = ['repair', '--json', '--schema', inline, '--args', '-']
    expect(printed(await start(b, process.env, '{"page size":"5"}'))).toMatchObject({
      value: { 'page size': 5 },
    })
  })

  it('names what of the schema is not checked', async () => {
    const remote = '{"properties":{"a":{"$ref":"https://example.com/a.json"}}}'
    const ran = await repair('--schema', remote, '--args', '{}')
    expect(ran.stdout).toMatch(/not checked +\/properties\/a: .*is not fetched/)
  })

  it('has a help of its own', async () => {
    const { code, stdout } = await repair('--help')
    expect(stdout).toMatch(/^Usage: start repair /)
    expect(code).toBe(0)
  })
})

describe('start repair with bad input', () => {
  it.each([
    ['nothing', [], 2, /^usage: --schema is missing/],
    ['no arguments', ['--schema', '{}'], 2, /^usage: --args is missing/],
    ['standard input twice', ['--schema', '-', '--args', '-'], 2, /^usage: Only one of/],
    [
      'a provider that nobody knows',
      ['--schema', '{}', '--args', '{}', '--provider', 'x'],
      2,
      /^usage: --provider is "x"; expected one of any, openai/,
    ],
    ['an option that nobody knows', ['--what'], 2, /^usage: .*--what/],
    ['a word too many', ['--schema', '{}', '--args', '{}', 'x'], 2, /^usage: .*'x'/],
    ['arguments like an option', ['--schema', '{}', '--args', '-5'], 2, /^usage: .*ambiguous/],
    [
      'a schema that is not there',
      ['--schema', '/no/such.json', '--args', '{}'],
      3,
      /^invalid_arguments: The schema cannot be read.*\/no\/such\.json/,
    ],
    [
      'a schema that is not JSON',
      ['--schema', '{"type": ', '--args', '{}'],
      3,
      /^invalid_arguments: The schema is not JSON: /,
    ],
    [
      'a broken schema',
      ['--schema', '{"type":"strnig"}', '--args', '{}'],
      3,
      /^invalid_arguments: .*\/type "strnig" is no type; did you mean "string"\?/,
    ],
    [
      'a schema that is none',
      ['--schema', '["x"]', '--args', '{}'],
      3,
      /^invalid_arguments: .*\["x"\] is no schema/,
    ],
    [
      'a file of arguments that is not there',
      ['--schema', '{}', '--args', '@/no/such.txt'],
      4,
      /^malformed_call: The file of arguments cannot be read.*\/no\/such\.txt/,
    ],
  ])('%s gives one line and its exit code', async (_, args, code, line) => {
    const ran = await repair(...args)
    expectOneLine(ran)
    expect(ran.stderr).toMatch(line)
    expect(ran.code).toBe(code)
  })
})

describe('what the pages say of start repair', () => {
  it.each(['README.md', 'README.zh-CN.md', 'packages/coercion/README.md'])(
    '%s shows what it prints',
    async (page) => {
      const text = await readFile(new URL(`../../../${page}`, import.meta.url), 'utf8')
      const shown = /```sh\nnpx -y pnpm@12 start (repair [^\n]*)\n```[^]*?```text\n([^]*?)```/.exec(
        text,
      )
      const words = [...shown![1]!.matchAll(/"([^"]*)"|\S+/g)]
      const { stdout } = await start(words.map(([word, quoted]) => quoted ?? word))
      for (const part of shown![2]!.split(/^ *…\n/m)) expect(stdout).toContain(part)
    },
  )
})
