import { securityCheck, type CliOptions } from '@callgate/adapter-cli'
import { createCoercer } from '@callgate/coercion'
import type { AdapterHost } from '@callgate/spec'

const options: CliOptions = {
  workspace: import.meta.dirname,
  exec: { programs: [{ program: 'git', subcommands: ['log', 'show'], options: ['--oneline'] }] },
}
const host: Pick<AdapterHost, 'validator' | 'secret'> = {
  validator(schema) {
    const coercer = createCoercer(schema)
    return (value) => coercer.coerce(value).errors
  },
  secret(name) {
    const value = process.env[name]
    if (value === undefined) throw new Error(`${name} is not set.`)
    return value
  },
}

const { ok, tools } = securityCheck(options, [], host)
console.log(ok)
for (const { tool, facts, weaknesses, probes } of tools) {
  console.log(
    tool,
    facts?.isolation,
    weaknesses.map(({ rule }) => rule),
  )
  for (const { input, rule } of probes.slice(0, 3)) console.log(' ', input, '->', rule)
}
