import type { FieldFault } from '@callgate/spec'

import type { LoadedDocument } from './model.ts'

/** What a broken schema answers to every value: nothing can be said to fit it. */
export function brokenSchemaFaults({ problems }: LoadedDocument): FieldFault[] {
  return problems.map(({ path, message }) => ({
    path: '',
    constraint: 'schema',
    got: `a broken schema: at ${path || 'its root'}, ${message}`,
    expected: 'a schema that can be checked',
  }))
}
