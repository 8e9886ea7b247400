import { InvalidOptionsError } from '@callgate/spec'

import { unknownKey } from './unknown-key.ts'

type Fields = { readonly [name: string]: unknown }

/**
 * Looks at what `adapterSuite` is given, for callers whom no compiler told. A key that is misspelt is as good as one
 * that is not given, so an unknown one is refused.
 *
 * @throws InvalidOptionsError with the rule suite-options that names the argument.
 */
export function checkArguments(test: unknown, factory: unknown, options: unknown): void {
  if (typeof test !== 'function') throw unfit('test', test, 'a function: name, async test')
  if (typeof factory !== 'function') {
    throw unfit('factory', factory, 'a function that makes the adapter')
  }
  if (!isRecord(options)) throw unfit('options', options, 'an object with fixtures')
  const { fixtures, tools = [], secrets = {}, skip = {} } = options
  checkKeys('options', options, optionKeys)
  const wanted = 'an object with ok, fails and slow'
  if (!isRecord(fixtures)) throw unfit('options.fixtures', fixtures, wanted)
  checkFixtures(fixtures)
  if (!Array.isArray(tools)) throw unfit('options.tools', tools, 'a list of tools')
  if (!isRecord(secrets)) throw unfit('options.secrets', secrets, 'texts by name')
  if (!isRecord(skip)) throw unfit('options.skip', skip, 'reasons by the name of a check')
}

const optionKeys = ['fixtures', 'tools', 'secrets', 'skip']
const fixturesNeeded = ['ok', 'fails', 'slow']
const fixturesOptional = ['progress', 'large']
const fixturesKeys = [...fixturesNeeded, ...fixturesOptional, 'concurrent']
const fixtureKeys = ['tool', 'arguments', 'expect']

function checkFixtures(fixtures: Fields): void {
  checkKeys('fixtures', fixtures, fixturesKeys)
  for (const name of fixturesNeeded) checkFixture(`fixtures.${name}`, fixtures[name])
  for (const name of fixturesOptional) {
    if (fixtures[name] !== undefined) checkFixture(`fixtures.${name}`, fixtures[name])
  }
  const { concurrent = [] } = fixtures
  if (!Array.isArray(concurrent)) {
    throw unfit('fixtures.concurrent', concurrent, 'a list of fixtures')
  }
  for (const [index, each] of concurrent.entries()) {
    checkFixture(`fixtures.concurrent.${index}`, each)
  }
}

const fixtureForm = '{ tool: "name", arguments: {} }, and expect where it matters'

function checkFixture(where: string, fixture: unknown): void {
  if (!isRecord(fixture)) throw unfit(where, fixture, fixtureForm)
  checkKeys(where, fixture, fixtureKeys)
  const { tool, arguments: args } = fixture
  if (typeof tool !== 'string') throw unfit(where, tool, fixtureForm, 'tool')
  if (!isRecord(args)) throw unfit(where, args, fixtureForm, 'arguments')
}

function checkKeys(where: string, given: Fields, keys: readonly string[]): void {
  const unknown = unknownKey(given, keys)
  if (unknown === undefined) return
  const { key, near } = unknown
  throw new InvalidOptionsError({
    rule: 'suite-options',
    where: `${where}.${key}`,
    message: `adapterSuite: "${where}.${key}" is unknown; expected one of ${keys.join(', ')}.`,
    hint: near === undefined ? 'Take it out.' : `Did you mean "${near}"?`,
  })
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The place is that of the whole, which the hint shows; the text names the part of it that is wrong, and says what it is
 * without its value, which may be a secret.
 */
function unfit(
  where: string,
  found: unknown,
  expected: string,
  part?: string,
): InvalidOptionsError {
  const name = part === undefined ? where : `${where}.${part}`
  return new InvalidOptionsError({
    rule: 'suite-options',
    where,
    message: `adapterSuite: "${name}" is ${kindOf(found)}.`,
    hint: `Give ${expected}.`,
  })
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing'
  const kind = value === null ? 'null' : Array.isArray(value) ? 'a list' : `of type ${typeof value}`
  return `${kind}, which does not fit`
}
