import type { Repair } from '@callgate/spec'

import type { PlanNode } from '../plan/model.ts'
import { childOf, entryOf } from '../plan/node.ts'
import { ARRAY, bitOf, BOOLEAN, FRACTION, INTEGER, OBJECT, STRING } from '../plan/types.ts'
import { plainNumber } from './number-text.ts'

/** Gives a value with its texts read, or the value itself; `at` is the pointer to it. */
export type Quick = (value: unknown, at: string, repairs: Repair[]) => unknown

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
export function quickOf(node: PlanNode | undefined): Quick | undefined {
  if (!node?.exact) return undefined
  if (node.quick === undefined) {
    node.quick = null
    if (node.plan.quicks++ >= NODES) return undefined
    if (node.mask === OBJECT) node.quick = quickFields(node)
    if (node.mask === ARRAY && node.tuple === 0) node.quick = quickEntries(entryOf(node, 0))
  }
  return node.quick ?? undefined
}

function quickEntries(node: PlanNode | undefined): Quick | null {
  const quick = quickOf(node)
  if (!quick) return null
  return (list, at, repairs) => {
    if (!Array.isArray(list)) return list
    const before = repairs.length
    const copy = list.map((entry, index) => quick(entry, `${at}/${index}`, repairs))
    return repairs.length > before ? copy : list
  }
}

function quickFields(node: PlanNode): Quick | null {
  const names = new Set(node.schemas.flatMap(({ properties = {} }) => Object.keys(properties)))
  if (names.size > NAMES) return null
  const inner: Quick[] = []
  let cases = ''
  for (const name of names) {
    const { node: child, token } = childOf(node, name)
    const quick = quickOf(child)
    const spelled = child?.exact && !(child.mask & STRING) && child.mask & SPELLED
    const [key, place] = [name, token].map((text) => JSON.stringify(text))
    if (quick ?? spelled) {
      const read = quick
        ? `q[${inner.push(quick) - 1}](v,p+${place},r)`
        : `s(v,${spelled},p,${place},r)`
      cases += `case ${key}:if((n=${read})!==v)(c??={...f})[${key}]=n;break;`
    }
  }
  if (cases === '') return null
  const code = `return(f,p,r)=>{let c,n;if(typeof f=='object'&&!Array.isArray(f))for(const k in f){const v=f[k];switch(k){${cases}}}return c??f}`
  // ajv makes its validators in the same way; all text in the code is quoted by JSON.stringify.
  // oxlint-disable-next-line typescript/no-implied-eval
  return (new Function('s', 'q', code) as (...parts: unknown[]) => Quick)(readSpelled, inner)
}

function readSpelled(
  text: unknown,
  types: number,
  at: string,
  token: string,
  repairs: Repair[],
): unknown {
  if (typeof text !== 'string') return text
  const value = plainNumber(text) ?? (text === 'true' ? true : text === 'false' ? false : undefined)
  if ((types & bitOf(value)) === 0) return text
  const rule = typeof value === 'number' ? 'text-to-number' : 'text-to-boolean'
  repairs.push({ path: at + token, from: text, to: value, rule })
  return value
}
