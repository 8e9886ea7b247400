import { baseName, codeRuleOf, namesProgram } from '../declare/code-options.ts'
import type { ToolPlan } from '../declare/plan.ts'
import { literalText, type Argument } from '../declare/template.ts'

/** Follows a template and tells from where on a leading dash is data (B5). */
export interface OptionEnd {
  haveEnded(): boolean
  /** Goes past one argument of the template. */
  pass(argument: Argument): void
}

/**
 * A literal `--` or `--end-of-options` ends the options of the program. Not those of find, which goes on reading its
 * expression; and with a program that runs another (`env -- git log`) only after that one was named.
 */
export function optionEnd(plan: ToolPlan): OptionEnd {
  const { name } = plan.program
  let isInner = codeRuleOf(name)?.wrapper !== true
  let hasEnded = false
  return {
    haveEnded: () => hasEnded,
    pass: (argument) => {
      const text = literalText(argument) ?? ''
      const ends = text === '--end-of-options' || (text === '--' && baseName(name) !== 'find')
      if (isInner && ends) hasEnded = true
      if (namesProgram(text)) isInner = true
    },
  }
}
