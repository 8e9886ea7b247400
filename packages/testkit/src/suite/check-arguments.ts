import { InvalidOptionsError } from '@callgate/spec'

type Fields = { readonly [name: string]: unknown }

/**
 * Looks at what `adapterSuite` is given, for callers whom no compiler told.
 *
 * @throws InvalidOptionsError with the rule suite-options that names the argument.
 */
export function checkArguments(test: unknown, factory: unknown, options: unknown): void {
  if (typeof test !== 'function') throw unfit('test', 'a function: name, async test')
  if (typeof factory !== 'function') throw unfit('factory', 'a function that makes the adapter')
  if (!isRecord(options)) throw unfit('options', 'an object with fixtures')
  const { fixtures, tools = [], secrets = {}, skip = {} } = options
  if (!isRecord(fixtures)) throw unfit('options.fixtures', 'an object with ok, fails and slow')
  checkFixtures(fixtures)
  if (!Array.isArray(tools)) throw unfit('options.tools', 'a list of tools')
  if (!isRecord(secrets)) throw unfit('options.secrets', 'texts by name')
  if (!isRecord(skip)) throw unfit('options.skip', 'reasons by the name of a check')
}

function checkFixtures(fixtures: Fields): void {
  for (const name of ['ok', 'fails', 'slow']) checkFixture(`fixtures.${name}`, fixtures[name])
  for (const name of ['progress', 'large']) {
    if (fixtures[name] !== undefined) checkFixture(`fixtures.${name}`, fixtures[name])
  }
  const { concurrent = [] } = fixtures
  if (!Array.isArray(concurrent)) throw unfit('fixtures.concurrent', 'a list of fixtures')
  for (const [index, each] of concurrent.entries()) {
    checkFixture(`fixtures.concurrent.${index}`, each)
  }
}

function checkFixture(where: string, fixture: unknown): void {
  const fits =
    isRecord(fixture) && typeof fixture['tool'] === 'string' && isRecord(fixture['arguments'])
  if (!fits) throw unfit(where, '{ tool: "name", arguments: {} }, and expect where it matters')
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unfit(where: string, expected: string): InvalidOptionsError {
  return new InvalidOptionsError({
    rule: 'suite-options',
    where,
    message: `adapterSuite: "${where}" does not fit.`,
    hint: `Give ${expected}.`,
  })
}
