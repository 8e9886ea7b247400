const shellText = /[|&;<>$`\\*?~\n]/

/**
 * What a command written as one text should be instead (R8.1, S2).
 *
 * Takes the text; gives back the hint that shows it as a command and a list, or says why there is none.
 */
export function rewriteHint(text: string): string {
  const words = splitWords(text)
  const [command, ...args] = words
  if (command === undefined) return 'Give the program in command and a list in argsTemplate.'
  if (shellText.test(text.replace(/'[^']*'/g, ''))) {
    return `There is no shell, so operators such as | && > $ * mean nothing. Declare one tool for each program (command: ${command}, argsTemplate: [...]), or put the steps into a script and name its path as the command.`
  }
  return `Write command: ${command} and argsTemplate: ${JSON.stringify(args)}.`
}

/** Splits by spaces outside quotes, as a shell would for a simple command. */
function splitWords(text: string): readonly string[] {
  const words = text.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'))
}
