import type { FieldFault } from '@callgate/spec'

import type { Compiled } from '../compiled.ts'
import { compileExplain, type Explain } from './ajv.ts'
import { faultsOf } from './faults.ts'

/** Explaining needs a second, larger validator: only of schemas that lately got invalid arguments. */
const recent = new Map<Compiled, Explain>()
const RECENT = 32

/** All faults of a value; empty only if the explaining validator finds none. */
export function explainFaults(compiled: Compiled, value: unknown): FieldFault[] {
  const explain = recent.get(compiled) ?? compileExplain(compiled.document, compiled.regExp)
  recent.delete(compiled)
  recent.set(compiled, explain)
  for (const oldest of recent.keys()) {
    if (recent.size <= RECENT) break
    recent.delete(oldest)
  }
  return faultsOf(compiled.document, explain(value))
}
