import { codeRuleOf, namesProgram, type CodeRule } from './code-options.ts'
import { literalStart, literalText, parametersIn, type Argument } from './template.ts'

/**
 * The first parameter that a template puts into program text, or undefined (B3).
 *
 * Takes the program and its arguments. Interpreters among the arguments (`env sh -c`, `find -exec sh -c`) are
 * looked into as well.
 */
export function parameterInProgramText(
  program: string,
  template: readonly Argument[],
  stdin?: Argument,
): string | undefined {
  const rule = codeRuleOf(program)
  if (rule !== undefined) {
    const found = inArguments(rule, template) ?? inInput(rule, template, stdin)
    if (found !== undefined) return found
  }
  for (const [index, argument] of template.entries()) {
    const inner = literalText(argument)
    if (inner === undefined || codeRuleOf(inner) === undefined) continue
    const deeper = parameterInProgramText(inner, template.slice(index + 1))
    if (deeper !== undefined) return deeper
  }
  return undefined
}

function inInput(
  rule: CodeRule,
  template: readonly Argument[],
  stdin: Argument | undefined,
): string | undefined {
  const { fromStdin, harmlessWith } = rule
  if (stdin === undefined || fromStdin === undefined) return undefined
  if (harmlessWith !== undefined && holds(template, harmlessWith)) return undefined
  const reads = fromStdin === 'always' || firstOperand(rule, template) === -1
  return reads ? parametersIn(stdin)[0] : undefined
}

function inArguments(rule: CodeRule, template: readonly Argument[]): string | undefined {
  if (rule.harmlessWith !== undefined && holds(template, rule.harmlessWith)) return undefined
  const first = firstOperand(rule, template)
  const leading = first === -1 ? template : template.slice(0, first + 1)
  return (
    inOptions(rule.option, template, rule.until) ??
    inOptions(rule.leadingOption, leading, undefined) ??
    (rule.firstOperand ? inFirstOperand(rule, template, first) : undefined) ??
    (rule.remote && first !== -1
      ? template.slice(first + 1).flatMap(parametersIn)[0]
      : undefined) ??
    (rule.wrapper ? inProgramName(template) : undefined)
  )
}

function holds(template: readonly Argument[], text: string): boolean {
  return template.some((argument) => literalText(argument) === text)
}

function inOptions(
  option: RegExp | undefined,
  template: readonly Argument[],
  until: RegExp | undefined,
): string | undefined {
  if (option === undefined) return undefined
  for (const [index, argument] of template.entries()) {
    if (!option.test(literalStart(argument))) continue
    const found = parametersIn(argument)[0] ?? inText(template.slice(index + 1), until)
    if (found !== undefined) return found
  }
  return undefined
}

/** The text is the next argument that is no option; or with `until` all up to that mark. */
function inText(rest: readonly Argument[], until: RegExp | undefined): string | undefined {
  for (const argument of rest) {
    const [parameter] = parametersIn(argument)
    if (parameter !== undefined) return parameter
    const text = literalStart(argument)
    if (until === undefined ? !text.startsWith('-') : until.test(text)) return undefined
  }
  return undefined
}

function inFirstOperand(
  rule: CodeRule,
  template: readonly Argument[],
  first: number,
): string | undefined {
  if (template.some((argument) => rule.option?.test(literalStart(argument)))) return undefined
  const operand = template[first]
  return operand === undefined ? undefined : parametersIn(operand)[0]
}

/** The index of the first argument that is neither an option nor the value of one, or -1. */
function firstOperand(rule: CodeRule, template: readonly Argument[]): number {
  let valueFollows = false
  for (const [index, argument] of template.entries()) {
    const start = literalStart(argument)
    if (valueFollows) {
      valueFollows = false
    } else if (start.startsWith('-') || start.startsWith('+')) {
      const whole = literalText(argument) ?? ''
      valueFollows = takesNext(rule, whole)
    } else {
      return index
    }
  }
  return -1
}

function takesNext(rule: CodeRule, option: string): boolean {
  if (rule.valued?.test(option)) return true
  // Program text in an argument of its own: `-c TEXT`, not `-cTEXT` or `--eval=TEXT`.
  const code = (rule.option?.test(option) || rule.leadingOption?.test(option)) ?? false
  return code && !option.includes('=') && option !== '--'
}

/** A value before any literal word that could be the program would name the program. */
function inProgramName(template: readonly Argument[]): string | undefined {
  for (const argument of template) {
    const [parameter] = parametersIn(argument)
    if (parameter !== undefined) return parameter
    if (namesProgram(literalStart(argument))) return undefined
  }
  return undefined
}
