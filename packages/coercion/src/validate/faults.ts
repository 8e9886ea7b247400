import type { FieldFault } from '@callgate/spec'
import type { ErrorObject } from 'ajv/dist/2020.js'

import { ERRORS, FAULTS } from '../limits.ts'
import type { LoadedDocument } from '../schema/model.ts'
import { keywordFault } from './keyword-fault.ts'
import { foldUnions } from './union-faults.ts'

/** ajv's errors as faults that name the field, what came, what fits, and the nearest thing that would. */
export function faultsOf(document: LoadedDocument, errors: readonly ErrorObject[]): FieldFault[] {
  return foldUnions(document, errors.slice(0, 2 * ERRORS))
    .slice(0, FAULTS)
    .map((error) => keywordFault(document, error))
}
