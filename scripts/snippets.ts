// Every snippet of the docs is a file that runs here. A code block after `<!-- snippet: FILE -->` equals the file; the
// block after `<!-- output: FILE -->` equals what the file prints. `--write` puts both in. Files that no page names
// run too.
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

const pages = globSync(['*.md', 'packages/*/README.md', 'docs/**/*.md']).toSorted()
const marker = /<!-- (snippet|output): (\S+) -->\n+```(\w*)\n([\s\S]*?)```/g

const usage = `Usage: run snippets [--write]

Runs every example and compares the pages with the files and with what they print.

  --write   puts both into the pages instead

Exit codes: 0 all are the same, 1 some are not, or an example does not run, 2 usage.`

let given: { readonly write?: boolean; readonly help?: boolean }
try {
  given = parseArgs({
    options: { write: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  }).values
} catch (error) {
  console.error(`snippets: ${(error as Error).message}\n\n${usage}`)
  process.exit(2)
}
const { write = false, help = false } = given
if (help) {
  console.log(usage)
  process.exit()
}

const outputs = new Map<string, string>()
const faults: string[] = []

/** What a program prints; what it says when it does not run is a fault, once. */
function outputOf(file: string): string {
  let output = outputs.get(file)
  if (output === undefined) {
    try {
      output = execFileSync('node', ['--conditions=@callgate/source', file], {
        encoding: 'utf8',
        timeout: 60_000,
        env: { ...process.env, NO_COLOR: '1' },
      })
    } catch (error) {
      faults.push(`${file} does not run: ${(error as Error).message}`)
      output = ''
    }
    outputs.set(file, output)
  }
  return output
}

function expected(kind: string, file: string): string {
  return kind === 'snippet' ? readFileSync(file, 'utf8') : outputOf(file)
}

for (const page of pages) {
  const before = readFileSync(page, 'utf8')
  const after = before.replaceAll(
    marker,
    (whole, kind: string, file: string, language: string, body: string) => {
      const right = expected(kind, file)
      if (right === body) return whole
      if (!write)
        faults.push(`${page}: the ${kind} of ${file} differs; run \`pnpm run snippets --write\``)
      return `<!-- ${kind}: ${file} -->\n\n\`\`\`${language}\n${right}\`\`\``
    },
  )
  if (write && after !== before) writeFileSync(page, after)
}

const programs = globSync('examples/*/*.ts').toSorted()
for (const file of programs) outputOf(file)
for (const fault of faults) console.error(fault)
console.log(`${pages.length} pages, ${programs.length} programs, ${faults.length} faults`)
process.exitCode = faults.length > 0 ? 1 : 0
