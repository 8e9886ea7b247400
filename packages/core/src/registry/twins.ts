import type { Misfit } from '../checks/check.ts'
import { sameJson } from '../policy/same-json.ts'
import { camelCase, camelKeys, isRecord, type Data } from './read-data.ts'

/** Words of the two notations that say one thing (R5.3), by the block they stand in. */
const twins: readonly (readonly [block: string | undefined, words: readonly string[]])[] = [
  [undefined, ['parameters', 'inputs']],
  [undefined, ['limits', 'rateLimit']],
  [undefined, ['retry', 'retryPolicy']],
  [undefined, ['timeoutMs', 'timeoutSeconds', 'timeout']],
  ...['limits', 'rateLimit'].flatMap((block) =>
    [
      ['perMinute', 'maxCallsPerMinute'],
      ['perHour', 'maxCallsPerHour'],
      ['burst', 'burstAllowance'],
    ].map((words) => [block, words] as const),
  ),
  ...['retry', 'retryPolicy'].flatMap((block) =>
    [
      ['backoff', 'backoffStrategy'],
      ['retryable', 'retryableErrors'],
    ].map((words) => [block, words] as const),
  ),
  ['healthCheck', ['intervalMs', 'intervalSeconds']],
  ['healthCheck', ['timeoutMs', 'timeoutSeconds']],
]

/**
 * Finds what a declared tool says twice, so that one of the two would be dropped without a word: both words of a twin,
 * or places that disagree. Takes the tool with its keys in camelCase.
 */
export function saidTwice(data: Data): Misfit | undefined {
  for (const [block, words] of twins) {
    const holder = block === undefined ? data : data[block]
    if (!isRecord(holder)) continue
    const [first, second] = words.filter((word) => holder[word] !== undefined)
    if (second === undefined) continue
    return twice(block === undefined ? [second] : [block, second], first!)
  }
  return disagreement(data) ?? namedTwice(data['inputs'])
}

/** Only the last input of a name would be kept, without what the others forbid. */
function namedTwice(inputs: unknown): Misfit | undefined {
  const names = (Array.isArray(inputs) ? inputs : []).map((input: Data) => input['name'])
  const second = names.findIndex((name, index) => names.indexOf(name) < index)
  if (second === -1) return undefined
  return twice(['inputs', second, 'name'], `inputs.${names.indexOf(names[second])}`)
}

function disagreement(data: Data): Misfit | undefined {
  const { permissions, metadata, backend, adapter } = data
  const block = isRecord(backend) ? camelKeys(backend) : {}
  if (differ(partOf(permissions, 'tags'), partOf(metadata, 'tags'))) {
    return twice(['metadata', 'tags'], 'permissions.tags')
  }
  // Beside a type, `backend.adapter` is the name of a class in the articles' own code, and no adapter of ours.
  const { type } = block
  const named = type === undefined || type === 'custom' ? block['adapter'] : type
  if (differ(adapter, named)) return twice(['adapter'], 'backend')
  for (const key of Object.keys(block)) {
    if (key !== 'adapter' && differ(data[key], block[key])) return twice([key], `backend.${key}`)
  }
  return undefined
}

function partOf(holder: unknown, key: string): unknown {
  return isRecord(holder) ? holder[key] : undefined
}

function differ(a: unknown, b: unknown): boolean {
  return a !== undefined && b !== undefined && !sameJson(a, b)
}

/** Finds a key that is written in snake_case and in camelCase, on one level. */
export function writtenTwice(data: Data): Misfit | undefined {
  const seen = new Map<string, string>()
  for (const key of Object.keys(data)) {
    const plain = camelCase(key)
    const before = seen.get(plain)
    if (before !== undefined) return twice([key], before)
    seen.set(plain, key)
  }
  return undefined
}

function twice(path: Misfit['path'], other: string): Misfit {
  return {
    path,
    got: `given beside ${other}`,
    fits: 'only one of the two, since both say the same thing',
    hint: 'Leave one of them out.',
  }
}
