import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { fileAdapter } from '@callgate/adapter-file'
import { createGateway, type Gateway } from '@callgate/core'
import type { ToolResult } from '@callgate/spec'

import type { AttackVector } from './attacks.ts'

/** What is done below which root, in the words of the vectors. */
export interface FileAttackTool {
  readonly op: string
  readonly root: string
  readonly symlinks: 'deny' | 'inside'
  readonly hardlinks: 'deny' | 'read'
  readonly fixtures: readonly string[]
  readonly fixtures_extra?: readonly string[]
  readonly deny?: readonly string[]
  readonly env?: { readonly [name: string]: string }
}

type FileAttack = AttackVector & { readonly tool: FileAttackTool }

/** The folders of one vector. */
interface Ground {
  readonly folder: string
  readonly root: string
  readonly outside: string
}

const changing: ReadonlySet<string> = new Set([
  'write',
  'write-then-read',
  'mkdir',
  'copy',
  'delete',
])

/** Runs one vector through a gateway with the tools as the adapter offers them; gives back what differs. */
export async function runFileAttack(raw: FileAttack): Promise<readonly string[]> {
  const ground = prepareGround(raw.tool)
  const vector = placed(raw, ground)
  const { tool } = vector
  const before = outsideOf(ground)
  const restore = setEnvironment(tool.env ?? {})
  const gateway = createGateway({
    adapters: [
      fileAdapter({
        roots: {
          workspace: {
            path: tool.root,
            write: changing.has(tool.op),
            links: tool.symlinks,
            hardLinks: tool.hardlinks,
            deny: tool.deny ?? [],
          },
        },
      }),
    ],
  })
  try {
    await gateway.start()
    const differences = await attack(vector, gateway)
    return outsideOf(ground) === before ? differences : [...differences, 'changed what is outside']
  } finally {
    restore()
    await gateway.close()
    rmSync(ground.folder, { recursive: true })
  }
}

async function attack(vector: FileAttack, gateway: Gateway): Promise<readonly string[]> {
  const { op } = vector.tool
  const input = vector.input as { readonly [name: string]: unknown }
  const content = input['content'] ?? 'x'
  if (op === 'write' || op === 'write-then-read') {
    const written = await call(gateway, 'write', { ...input, content })
    if (op === 'write' || written.status !== 'ok') return judgeResult(vector, written)
    const { data } = await call(gateway, 'read', { path: input['path'] })
    const { text } = data as { readonly text?: unknown }
    return text === content ? [] : [`read ${JSON.stringify(data)}`]
  }
  return judgeResult(vector, await call(gateway, op, input))
}

function call(gateway: Gateway, operation: string, args: object): Promise<ToolResult> {
  return gateway.dispatch({ name: `file::${operation}`, arguments: args })
}

function judgeResult(vector: FileAttack, result: ToolResult): readonly string[] {
  const text = JSON.stringify([result.data, result.content, result.error])
  if (text.includes('SECRET')) return ['gave text from outside']
  const rule = ruleOf(result)
  if (vector.must === 'refuse') {
    if (result.status === 'ok') return ['was not refused']
    return rule === vector.rule ? [] : [`rule ${rule} instead of ${vector.rule}`]
  }
  if (vector.also_ok === 'refuse' && result.status === 'denied') return []
  const isExpected = vector.outcome === 'not-found' ? rule === 'not-found' : result.status === 'ok'
  return isExpected ? [] : [`ended with ${result.status}, rule ${rule}`]
}

/** A fault of the arguments is named by the word of the schema that it breaks. */
function ruleOf({ error }: ToolResult): string {
  return error?.rule ?? error?.fields?.[0]?.constraint ?? error?.code ?? 'none'
}

/** A root with the fixtures, a folder beside it with a secret, and a configuration of ripgrep that follows links. */
function prepareGround({ fixtures, fixtures_extra: extra = [] }: FileAttackTool): Ground {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'callgate-attacks-')))
  const ground = { folder, root: join(folder, 'root'), outside: join(folder, 'out') }
  for (const path of [ground.root, ground.outside]) mkdirSync(path)
  writeFileSync(join(folder, 'ripgreprc'), '--follow\n')
  for (const fixture of [...fixtures, ...extra]) addFixture(fixture, ground)
  return ground
}

function addFixture(fixture: string, { root, outside }: Ground): void {
  const [kind = '', value = ''] = fixture.split(/:(.*)/s)
  if (kind === 'outside') {
    writeFileSync(join(outside, value), 'SECRET of the folder outside')
    return
  }
  const [name = '', target = ''] = value.split('->')
  const path = join(root, name)
  mkdirSync(dirname(path), { recursive: true })
  if (kind === 'symlink') symlinkSync(target.replace('<OUT>', outside), path)
  else writeFileSync(path, 'ok')
}

/** Puts the folders into a vector. */
function placed(vector: FileAttack, { folder, root, outside }: Ground): FileAttack {
  const text = JSON.stringify(vector)
    .replaceAll('<ROOT>', root)
    .replaceAll('<OUT>', outside)
    .replaceAll('<RGCONF>', join(folder, 'ripgreprc'))
  return JSON.parse(text) as FileAttack
}

/** Everything beside the root, as one text. */
function outsideOf({ folder, outside }: Ground): string {
  const files = readdirSync(outside, { recursive: true, encoding: 'utf8' }).toSorted()
  return JSON.stringify([
    readdirSync(folder).toSorted(),
    files.map((file) => [file, readFileSync(join(outside, file), 'utf8')]),
  ])
}

/** Sets variables of this process; gives back how to undo it. */
function setEnvironment(variables: { readonly [name: string]: string }): () => void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, variables)
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}
