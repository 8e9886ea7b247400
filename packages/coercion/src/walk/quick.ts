import type { Repair } from '@callgate/spec'

import { QUICK_NAMES, QUICK_NODES } from '../limits.ts'
import type { PlanNode } from '../plan/model.ts'
import { childOf } from '../plan/node.ts'
import { ARRAY, bitOf, OBJECT, SPELLED, STRING } from '../plan/types.ts'
import { plainNumber } from './number-text.ts'

/** Gives a value with its texts read, or the value itself; `path` is where the value is. */
export type Quick = (value: unknown, repairs: Repair[], path: string) => unknown

/**
 * Code for what is met most, texts that spell numbers and booleans in fields of objects and of lists of objects, at a
 * third of what the walk costs. It does nothing that the walk would not do; undefined where there is nothing to do.
 */
export function quickOf(root: PlanNode): Quick | undefined {
  if (root.plan.renames) return undefined
  const code: string[] = []
  // The names of the functions; empty where there is none, or not yet.
  const names = new Map<PlanNode, string>()
  const nameOf = (node: PlanNode | undefined): string => {
    if (!node?.exact) return ''
    const known = names.get(node)
    if (known !== undefined || names.size >= QUICK_NODES) return known ?? ''
    names.set(node, '')
    const body = bodyOf(node, nameOf)
    if (body === '') return ''
    const name = `q${code.length}`
    code.push(`const ${name}=${body};`)
    names.set(node, name)
    return name
  }
  const name = nameOf(root)
  if (name === '') return undefined
  // ajv makes its validators in the same way; all text in the code is quoted by JSON.stringify.
  // oxlint-disable-next-line typescript/no-implied-eval
  const make = new Function('s', 'l', `${code.join('')}return ${name}`)
  return make(spelled, entriesWith) as Quick
}

/** Fields are read by their names, one load each, so that there are not many. */
function bodyOf(node: PlanNode, nameOf: (node: PlanNode | undefined) => string): string {
  if (node.mask === ARRAY && node.tuple === 0) {
    const name = nameOf(childOf(node, 0).node)
    return name && `l(${name})`
  }
  if (node.mask !== OBJECT || node.names.size > QUICK_NAMES) return ''
  const fields = Array.from(node.names, (name) => {
    const { node: child, token } = childOf(node, name)
    const key = JSON.stringify(name)
    const below = JSON.stringify(token)
    const place = `p?p+${below}:${below}`
    const set = `(c??={...f})[${key}]=n;`
    const inner = nameOf(child)
    // NaN comes back as it was and yet differs from itself.
    if (inner) return `if((n=${inner}(v=f[${key}],r,${place}))!==v&&n===n)${set}`
    const types = child?.exact && !(child.mask & STRING) && child.mask & SPELLED
    return types
      ? `if(typeof(v=f[${key}])=='string'&&(n=s(v,${types},${place},r))!=null)${set}`
      : ''
  }).join('')
  return (
    fields &&
    `(f,r,p)=>{let c,v,n;if(f&&typeof f=='object'&&!Array.isArray(f)){${fields}}return c??f}`
  )
}

/** Reads all entries of a list. */
function entriesWith(quick: Quick): Quick {
  return (list, repairs, path) => {
    if (!Array.isArray(list)) return list
    const start = repairs.length
    const copy = list.map((entry: unknown, index) => quick(entry, repairs, `${path}/${index}`))
    return repairs.length > start ? copy : list
  }
}

/** The number or boolean that a text spells; nothing where it spells none of the types. */
function spelled(
  from: string,
  types: number,
  path: string,
  repairs: Repair[],
): number | boolean | undefined {
  const to = plainNumber(from) ?? (from === 'true' ? true : from === 'false' ? false : undefined)
  if ((types & bitOf(to)) === 0) return undefined
  const rule = typeof to === 'number' ? 'text-to-number' : 'text-to-boolean'
  repairs.push({ path, from, to, rule })
  return to
}
