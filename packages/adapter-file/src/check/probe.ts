import { ToolError, type FieldFault, type InvokeContext, type ToolDefinition } from '@callgate/spec'

import { propertiesOf, type FilePlan } from '../declare/accept.ts'
import { limitsOf, type FileOptions } from '../options.ts'
import { rootOf, type Root } from '../roots/root.ts'
import { sharedOf } from '../shared.ts'
import { attacksOn, sample, type FileAttack } from './attacks.ts'
import type { FileProbe } from './report.ts'
import { secret, throwAway } from './throw-away.ts'

const silent = (): void => undefined

const context: InvokeContext = {
  signal: new AbortController().signal,
  log: { debug: silent, info: silent, warn: silent, error: silent },
  progress: silent,
  blob: () => {
    throw new Error('No operation on files puts anything into a blob.')
  },
}

/** Ordinary arguments, of which one is exchanged for an attack. */
const ordinary: { readonly [name: string]: unknown } = {
  path: sample,
  dir: '.',
  glob: '**',
  pattern: secret,
  hidden: true,
  ignored: true,
  content: 'probe',
  from: sample,
  to: 'target.txt',
  overwrite: true,
  recursive: true,
  edits: [{ old: 's', new: 'probe', count: 1 }],
  hash: '0',
}

export interface ProbeOptions {
  readonly tool: ToolDefinition
  readonly plan: FilePlan
  readonly options: FileOptions
  readonly validate: (value: unknown) => readonly FieldFault[]
}

/** Tries the attacks on every path of a tool, below a throw-away root with the rules of the root (G2). */
export async function probeTool(probe: ProbeOptions, root: Root): Promise<readonly FileProbe[]> {
  const { operation } = probe.plan
  const declared = propertiesOf(probe.tool.parameters)
  const parameters = [...Object.keys(operation.paths), 'glob'].filter((name) =>
    declared.includes(name),
  )
  const probes: FileProbe[] = []
  for (const parameter of parameters) {
    for (const attack of attacksOn(parameter, operation.name, root)) {
      // oxlint-disable-next-line no-await-in-loop -- each has the folder to itself
      const verdict = await tryAttack(probe, root, parameter, attack)
      probes.push({
        root: root.name,
        parameter,
        attack: attack.name,
        input: attack.value,
        ...verdict,
      })
    }
  }
  return probes
}

type Verdict = Pick<FileProbe, 'outcome' | 'rule'>

async function tryAttack(
  { tool, plan, options, validate }: ProbeOptions,
  root: Root,
  parameter: string,
  attack: FileAttack,
): Promise<Verdict> {
  const declared = propertiesOf(tool.parameters)
  const args = Object.fromEntries(
    Object.entries({ ...ordinary, [parameter]: attack.value }).filter(([name]) =>
      declared.includes(name),
    ),
  )
  const fault = validate(args).find(({ path }) => path.startsWith(`/${parameter}`))
  if (fault !== undefined) return { outcome: 'refused', rule: fault.constraint }
  const place = throwAway()
  try {
    const own = options.roots[root.name]
    const stand = rootOf(root.name, { ...own, path: place.root })
    const shared = sharedOf(limitsOf(options.limits))
    const outcome = await outcomeOf(plan.operation.run({ root: stand, args, context, shared }))
    const leaked = !place.isOutsideWhole() || outcome.text.includes(secret)
    return leaked ? hole(attack) : judge(attack, outcome.rule)
  } finally {
    place.remove()
  }
}

async function outcomeOf(
  running: Promise<unknown>,
): Promise<{ readonly text: string; readonly rule?: string }> {
  try {
    return { text: JSON.stringify(await running) }
  } catch (error) {
    if (!ToolError.isInstance(error)) throw error
    return { text: error.message, rule: error.rule ?? error.code }
  }
}

/** That there is no such file protects nothing: tomorrow there may be one. */
function judge(attack: FileAttack, rule: string | undefined): Verdict {
  if (rule === undefined) return { outcome: 'literal' }
  if (rule !== 'not-found') return { outcome: 'refused', rule }
  return attack.rule === undefined ? { outcome: 'literal', rule } : hole(attack)
}

function hole({ rule }: FileAttack): Verdict {
  return { outcome: 'hole', ...(rule === undefined ? {} : { rule }) }
}
