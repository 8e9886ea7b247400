import { coerceInside, coerceValue } from './coerce-value.ts'
import type { Walk, WalkSettings } from './walk.ts'

/** A walk at the root, with the two functions that its parts call for what lies below them. */
export function startWalk(settings: WalkSettings, intoText: boolean): Walk {
  return {
    ...settings,
    value: coerceValue,
    inside: coerceInside,
    at: '',
    level: 1,
    here: [],
    repairs: [],
    intoText,
    skippedText: false,
  }
}
