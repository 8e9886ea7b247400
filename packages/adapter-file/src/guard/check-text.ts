import { refuse } from './refuse.ts'

/** The rules for every text that reaches the operating system. @throws ToolError with the rule nul or unicode-invalid. */
export function checkText(value: string, parameter: string): void {
  if (value.includes('\0')) refuse('nul', parameter, `"${parameter}" may not hold NUL.`)
  if (!value.isWellFormed()) {
    refuse('unicode-invalid', parameter, `"${parameter}" holds half of a surrogate pair.`)
  }
}

/** The rules for a pattern that a model gives. @throws ToolError the same, and with the rule length. */
export function checkPattern(value: string, parameter: string, maxLength: number): void {
  checkText(value, parameter)
  if (value.length > maxLength) {
    refuse('length', parameter, `"${parameter}" may have ${maxLength} characters.`)
  }
}
