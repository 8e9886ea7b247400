import type { FieldFault } from '@callgate/spec'
import type { ErrorObject } from 'ajv/dist/2020.js'

import type { LoadedDocument } from '../schema/model.ts'
import { keywordFault } from './keyword-fault.ts'
import { foldUnions } from './union-faults.ts'

/** More faults than this in one call are not reported: nobody mends them all at once. */
const FAULTS = 50
/** Of as many errors they are made, since folding compares errors with each other. */
const ERRORS = 1000

/**
 * ajv's errors as faults that name the field, what came, what fits, and the nearest thing that would. "if" and
 * "propertyNames" only say that something else failed, which has its own fault.
 */
export function faultsOf(document: LoadedDocument, errors: readonly ErrorObject[]): FieldFault[] {
  return foldUnions(document, errors.slice(0, ERRORS))
    .filter(({ keyword }) => keyword !== 'if' && keyword !== 'propertyNames')
    .slice(0, FAULTS)
    .map((error) => keywordFault(document, error))
}
