import type { FieldFault } from '@callgate/spec'
import type { ErrorObject } from 'ajv/dist/2020.js'

import type { LoadedDocument } from '../schema/model.ts'
import { keywordFault } from './keyword-fault.ts'
import { foldUnions } from './union-faults.ts'

/** More faults than this in one call are not reported: nobody mends them all at once. */
const FAULTS = 50

/** ajv's errors as faults that name the field, what came, what fits, and the nearest thing that would. */
export function faultsOf(document: LoadedDocument, errors: readonly ErrorObject[]): FieldFault[] {
  const faults = new Map<string, FieldFault>()
  for (const error of foldUnions(document, errors)) {
    if (faults.size >= FAULTS) break
    // "if" and "propertyNames" only say that something else failed, which has its own fault.
    if (error.keyword === 'if' || error.keyword === 'propertyNames') continue
    const fault = keywordFault(document, error)
    faults.set(`${fault.path} ${fault.constraint} ${fault.expected} ${fault.got}`, fault)
  }
  return [...faults.values()]
}
