import { anything, leaf, text, type Check } from '../checks/check.ts'
import { listOf, shape } from '../checks/shapes.ts'
import { compositeAdapter } from './composite.ts'
import { isRecord } from './read-data.ts'

const someSteps: Check = leaf(
  'a list of at least one { tool, arguments }',
  (value) => Array.isArray(value) && value.length > 0,
)
const eachStep: Check = listOf(shape({ tool: text, arguments: anything }, ['tool']))
const block: Check = shape(
  { adapter: text, steps: (value) => someSteps(value) ?? eachStep(value) },
  ['steps'],
)

/** Looks at the backend of a composite tool: a step whose arguments are misspelt would run without them. */
export const compositeBlock: Check = (value) =>
  isRecord(value) && value['adapter'] === compositeAdapter ? block(value) : undefined
