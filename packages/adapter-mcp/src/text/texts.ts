/** The fields that are texts and not empty, as `shown` makes them. */
export function texts(
  shown: (text: string) => string,
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const entries = Object.entries(fields).flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' ? [[name, shown(value)]] : [],
  )
  return Object.fromEntries(entries) as Record<string, string>
}
