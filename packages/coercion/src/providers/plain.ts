import { isFields, shown } from '../json.ts'
import { CHARACTERS, sizeOf } from '../schema/size.ts'
import { replaceBigints } from '../validate/bigints.ts'
import { note, visitParts, type Place } from './place.ts'

/**
 * A schema as plain JSON, with what that cannot hold said to be lost: a bigint that is no safe integer becomes text, and
 * a property `__proto__` cannot be told from the prototype. What is too large is not looked at.
 */
export function asPlain(place: Place, schema: unknown): unknown {
  if (sizeOf(schema) > CHARACTERS) return schema
  const visit = (at: Place, part: unknown): void => {
    if (at.path.endsWith('roperties/__proto__')) note(at, 'property')
    for (const [keyword, value] of Object.entries(isFields(part) ? part : {})) {
      visitParts(at, keyword, value, visit)
    }
  }
  visit(place, schema)
  const plain = replaceBigints(schema, (value) => {
    if (Number.isSafeInteger(Number(value))) return Number(value)
    note(place, shown(String(value)))
    return String(value)
  })
  // A keyword whose value is undefined is no keyword.
  return isFields(plain) ? JSON.parse(JSON.stringify(plain)) : plain
}
