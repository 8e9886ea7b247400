import { refused } from '../guard/refusal.ts'
import { encode, separatorOf, shapeOf, type Serialisation } from './styles.ts'

/**
 * Writes one path parameter by its style: simple, label, matrix, and the delimited lists of Swagger 2.0 (D5, D6).
 *
 * @throws ToolError `guard_refused` (`path-segment`) naming the argument, for a value that is no segment.
 */
export function pathText(plan: Serialisation, value: unknown, argument: string): string {
  const text = styledText(plan, value, argument)
  checkPathValue(text, argument)
  return text
}

function styledText(plan: Serialisation, value: unknown, argument: string): string {
  if (plan.contentType !== undefined) return encode(JSON.stringify(value) ?? '')
  const shape = shapeOf(value)
  if (shape.kind === 'absent') return ''
  const name = encode(plan.name)
  if (shape.kind === 'scalar') {
    // The prefix of label and matrix would hide that the value itself is a dot segment.
    checkPathValue(shape.text, argument)
    return prefixed(plan, name, [encode(shape.text)])
  }
  if (shape.kind === 'list') {
    return prefixed(
      plan,
      name,
      shape.items.map((item) => encode(item)),
    )
  }
  const entries = shape.entries.map(([key, item]) => [encode(key), encode(item)] as const)
  if (!plan.explode) return prefixed(plan, name, entries.flat())
  const pairs = entries.map(([key, item]) => `${key}=${item}`)
  if (plan.style === 'label') return `.${pairs.join('.')}`
  if (plan.style === 'matrix') return `;${pairs.join(';')}`
  return pairs.join(',')
}

/** Refuses what a URL parser would take out of the path: "", "." and ".." (D6). */
export function checkPathValue(text: string, parameter: string): void {
  if (text !== '' && text !== '.' && text !== '..') return
  throw refused({
    rule: 'path-segment',
    parameter,
    message: `"${parameter}" must not be empty, "." or "..".`,
  })
}

function prefixed(plan: Serialisation, name: string, items: readonly string[]): string {
  if (plan.style === 'label') return `.${items.join(plan.explode ? '.' : ',')}`
  if (plan.style === 'matrix') {
    return plan.explode
      ? items.map((item) => `;${name}=${item}`).join('')
      : `;${name}=${items.join(',')}`
  }
  return items.join(separatorOf(plan.style))
}
