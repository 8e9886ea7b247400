import { coerceInside, coerceValue } from './coerce-value.ts'
import type { Walk, WalkSettings } from './walk.ts'

/** Fills in the two functions that the parts of a walk call for what lies below them. */
export function walkSettings(settings: Omit<WalkSettings, 'value' | 'inside'>): WalkSettings {
  return { ...settings, value: coerceValue, inside: coerceInside }
}

/** A walk at the root. */
export function startWalk(settings: WalkSettings, intoText: boolean): Walk {
  return {
    settings,
    at: '',
    level: 1,
    repairs: [],
    intoText,
    skippedText: false,
  }
}
