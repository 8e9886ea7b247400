/** Blocks whose keys are words of the adapter; in `arguments` those of each parameter are. */
const blocks = ['limits', 'sandbox', 'spill']

type Data = { readonly [key: string]: unknown }

/** The block of a file, whose words are in snake_case, in the words of the code (R5.3). Names of the user's stay. */
export function plainWords(backend: Data): Data {
  const plain = camelKeys(backend)
  const own = blocks.filter((key) => isData(plain[key]))
  const read = Object.fromEntries(own.map((key) => [key, camelKeys(plain[key] as Data)]))
  const { arguments: rules } = plain
  return { ...plain, ...read, ...(isData(rules) ? { arguments: camelRules(rules) } : {}) }
}

function camelRules(rules: Data): Data {
  return Object.fromEntries(
    Object.entries(rules).map(([name, rule]) => [name, isData(rule) ? camelKeys(rule) : rule]),
  )
}

function camelKeys(data: Data): Data {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [
      key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  )
}

function isData(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
