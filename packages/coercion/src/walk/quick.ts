import type { Repair } from '@callgate/spec'

import type { PlanNode } from '../plan/model.ts'
import { childOf, entryOf } from '../plan/node.ts'
import { ARRAY, bitOf, BOOLEAN, FRACTION, INTEGER, OBJECT, STRING } from '../plan/types.ts'
import { plainNumber } from './number-text.ts'

/** Gives a value with its texts read, or the value itself; the paths of the repairs begin at the value. */
export type Quick = (value: unknown, repairs: Repair[]) => unknown

/** Types whose values may be spelled. */
const SPELLED = INTEGER | FRACTION | BOOLEAN

/** The generated code compares a key with each name, so there are not many. */
const NAMES = 50

/** Most nodes of a schema that get code: schemas may be large, and those that lead back to themselves endless. */
const NODES = 100

/**
 * Code for what is met most, texts that spell numbers and booleans in fields of objects and of lists of objects, at a
 * third of what the walk costs. It does nothing that the walk would not do; undefined where there is nothing to do.
 */
export function quickOf(root: PlanNode): Quick | undefined {
  if (root.plan.rule) return undefined
  const code: string[] = []
  // The names of the functions; empty where there is none, or not yet.
  const names = new Map<PlanNode, string>()
  const nameOf = (node: PlanNode | undefined): string => {
    if (!node?.exact) return ''
    const known = names.get(node)
    if (known !== undefined || names.size >= NODES) return known ?? ''
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
  const make = new Function('s', 'm', 'l', `${code.join('')}return ${name}`)
  return make(spelled, moveBelow, entriesWith) as Quick
}

function bodyOf(node: PlanNode, nameOf: (node: PlanNode | undefined) => string): string {
  if (node.mask === ARRAY && node.tuple === 0) {
    const name = nameOf(entryOf(node, 0))
    return name && `l(${name})`
  }
  const names = new Set(node.schemas.flatMap(({ properties = {} }) => Object.keys(properties)))
  if (node.mask !== OBJECT || names.size > NAMES) return ''
  const cases = Array.from(names, (name) => {
    const { node: child, token } = childOf(node, name)
    const [key, place] = [name, token].map((text) => JSON.stringify(text))
    const set = `(c??={...f})[${key}]=n`
    const inner = nameOf(child)
    if (inner) {
      return `if((v=f[${key}])!=null){b=r.length;n=${inner}(v,r);if(r.length>b){m(${place},r,b);${set}}}`
    }
    const types = child?.exact && !(child.mask & STRING) && child.mask & SPELLED
    return types
      ? `if(typeof(v=f[${key}])=='string'&&(n=s(v,${types},${place},r))!=null)${set};`
      : ''
  }).join('')
  return (
    cases &&
    `(f,r)=>{let c,v,n,b;if(f&&typeof f=='object'&&!Array.isArray(f)){${cases}}return c??f}`
  )
}

/** Reads all entries of a list. */
function entriesWith(quick: Quick): Quick {
  return (list, repairs) => {
    if (!Array.isArray(list)) return list
    const start = repairs.length
    const copy = list.map((entry: unknown, index) => {
      const before = repairs.length
      const value = quick(entry, repairs)
      if (repairs.length > before) moveBelow(`/${index}`, repairs, before)
      return value
    })
    return repairs.length > start ? copy : list
  }
}

/** What was repaired inside a part gets the place of the part in front. */
function moveBelow(token: string, repairs: Repair[], from: number): void {
  for (let place = from; place < repairs.length; place++) {
    const repair = repairs[place] as { path: string }
    repair.path = token + repair.path
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
