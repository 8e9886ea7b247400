import { cleanText } from './clean.ts'

/**
 * The end of a server's stderr as others may read it: no control characters, no stack frames, and of paths only the
 * last part, since the text reaches a model.
 */
export function readableTail(text: string): string {
  return cleanText(text)
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s+at /.test(line))
    .map((line) => line.replaceAll(/(?:file:\/\/)?(?:[A-Za-z]:)?(?:[\\/][\w.@+ -]+)+[\\/]/g, ''))
    .join('\n')
}
