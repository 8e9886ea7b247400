import { CallgateError, InvalidToolError, type ToolFault } from './errors.ts'
import type { ToolDefinition } from './tool.ts'

/** Gathers what is wrong with one declared tool, so that one report tells all of it. */
export interface ToolFaults {
  /** Ends the part of the check that it is called in. @throws InvalidToolError with this one fault. */
  refuse(rule: string, message: string, hint: string): never
  /** Runs a part of the check. A fault that it throws is noted, and undefined comes back; all else is thrown on. */
  attempt<Result>(part: () => Result): Result | undefined
  readonly count: number
  /** @throws InvalidToolError with all faults that were noted, if there are any. */
  end(): void
}

/**
 * Makes the list for a tool, for `accept` of an adapter. Messages are half sentences about the tool, hints whole ones.
 *
 * Faults are told apart by `instance.rule`; the error that {@link ToolFaults.end} throws has the rule of the first.
 */
export function toolFaults({
  namespace,
  name,
}: Pick<ToolDefinition, 'namespace' | 'name'>): ToolFaults {
  const id = `${namespace}::${name}`
  const noted: ToolFault[] = []
  return {
    refuse: (rule, message, hint) => {
      throw errorOf(id, [{ rule, message, hint }])
    },
    attempt: (part) => {
      try {
        return part()
      } catch (error) {
        noted.push(...faultsIn(error))
        return undefined
      }
    },
    get count() {
      return noted.length
    },
    end: () => {
      if (noted.length > 0) throw errorOf(id, noted)
    },
  }
}

function faultsIn(error: unknown): readonly ToolFault[] {
  if (!CallgateError.isInstance(error)) throw error
  // By shape, so that a copy of this package in another node_modules still counts.
  const { faults } = error as Partial<InvalidToolError>
  const { rule = '', message, hint = '' } = error
  return faults ?? [{ rule, message, hint }]
}

function errorOf(id: string, faults: readonly ToolFault[]): InvalidToolError {
  const [first] = faults
  const { rule = '', message = '', hint = '' } = first ?? {}
  if (faults.length <= 1) {
    return new InvalidToolError({
      rule,
      where: id,
      message: `Tool "${id}": ${message}`,
      hint,
      faults,
    })
  }
  const lines = faults.map((fault) => `  ${fault.rule}: ${fault.message} ${fault.hint}`)
  return new InvalidToolError({
    rule,
    where: id,
    message: `Tool "${id}" has ${faults.length} faults:\n${lines.join('\n')}`,
    hint: 'Mend each of them.',
    faults,
  })
}
