import { nearest } from '../text/nearest.ts'
import { problem, type Loading } from './loading.ts'
import { shown, typeNames, type TypeName } from './model.ts'

/** Reads `type`; a word that is no type is the fault of broken schemas that is met most. */
export function readType(loading: Loading, value: unknown, at: string): TypeName[] | undefined {
  const list = Array.isArray(value) ? (value as unknown[]) : [value]
  if (list.includes('any')) return undefined
  const good = list.filter(
    (name): name is TypeName => typeof name === 'string' && typeNames.has(name),
  )
  if (good.length < list.length || list.length === 0) {
    const bad = list.find((name) => !good.includes(name as TypeName))
    const near = typeof bad === 'string' ? nearest(bad, [...typeNames]) : undefined
    const hint = near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`
    problem(loading, at, 'type', `${shown(bad ?? value)} is no type${hint}`)
  }
  return good.length > 0 ? [...new Set(good)] : undefined
}
