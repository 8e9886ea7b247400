import { InvalidOptionsError, type AssistantTurn } from '@callgate/spec'

import { createIdMap, type IdMap } from '../ids/id-map.ts'
import { unknownProvider } from '../provider-fault.ts'
import { isObject, type Provider } from '../provider.ts'
import { describe, shapeFault } from '../read/shape-fault.ts'

const hint = 'Hand over what readTurn or runTurn gave.'

/** @throws CallgateError `malformed_call`, rule `turn-shape`, for a turn whose calls cannot be written. */
export function checkTurn(turn: unknown): asserts turn is AssistantTurn {
  if (!isObject(turn)) throw shapeFault('', turn, 'an object with toolCalls', hint, 'turn')
  const { toolCalls } = turn
  if (!Array.isArray(toolCalls)) {
    throw shapeFault('/toolCalls', toolCalls, 'a list of calls', hint, 'turn')
  }
  for (const [index, call] of toolCalls.entries()) {
    const where = `/toolCalls/${index}`
    if (!isObject(call)) throw shapeFault(where, call, 'a call', hint, 'turn')
    const { name } = call
    if (typeof name !== 'string') {
      throw shapeFault(`${where}/name`, name, 'the name of a tool', hint, 'turn')
    }
  }
}

/** @throws CallgateError `malformed_call`, rule `provider`, where the table has no such provider. */
export function checkProvider(table: object, provider: unknown): asserts provider is Provider {
  if (typeof provider !== 'string' || !Object.hasOwn(table, provider)) {
    throw unknownProvider(provider)
  }
}

/**
 * The id map that the options name, or a new one.
 *
 * @throws InvalidOptionsError, rule `write-options`, for anything else: ids of another map would pair with nothing.
 */
export function idsOf(options: unknown, provider: Provider): IdMap {
  if (!isObject(options)) throw unfit('options', options, 'an object')
  const unknown = Object.keys(options).find((key) => key !== 'ids')
  if (unknown !== undefined) throw unfit(unknown, options[unknown], 'no option but ids')
  const { ids } = options
  if (ids === undefined) return createIdMap(provider)
  if (isObject(ids) && typeof ids['toProvider'] === 'function') return ids as unknown as IdMap
  throw unfit('ids', ids, 'an id map')
}

function unfit(where: string, found: unknown, fits: string): InvalidOptionsError {
  return new InvalidOptionsError({
    rule: 'write-options',
    where,
    message: `"${where}" is ${describe(found)}; expected ${fits}.`,
    hint: 'Give { ids: createIdMap(form) }, or leave the options out.',
  })
}
