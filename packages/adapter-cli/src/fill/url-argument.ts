import { baseName } from '../declare/code-options.ts'
import type { ToolPlan } from '../declare/plan.ts'
import { literalText } from '../declare/template.ts'
import { refuseCall } from './guard.ts'

/**
 * Refuses a text that is no URL of the declared schemes, or that a program may read otherwise than it was checked.
 *
 * Where the host's name leads is not looked at: the program resolves it itself.
 */
export function checkUrl(
  text: string,
  name: string,
  schemes: readonly string[],
  plan: ToolPlan,
): void {
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined || !schemes.includes(scheme)) {
    refuseCall('url-scheme', name, `"${name}" must be a URL with ${schemes.join(' or ')}.`)
  }
  const url = plainUrl(text)
  if (url === undefined) {
    refuseCall('kind-url', name, `"${name}" must be a plain URL without spaces or a user name.`)
  }
  if (expandsGlobs(plan) && /[{}[\]]/.test(text.replace(url.host, ''))) {
    refuseCall('url-glob', name, `"${name}" may not hold braces or brackets; encode them.`)
  }
}

/** The URL parser silently drops and turns characters that another program may keep. */
function plainUrl(text: string): URL | undefined {
  if (/[\s\\\p{Cc}]/u.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const isPlain = url.username === '' && url.password === '' && !url.hostname.startsWith('-')
  return isPlain ? url : undefined
}

/** curl makes several URLs of braces and ranges unless told not to (curl manual, URL globbing). */
function expandsGlobs(plan: ToolPlan): boolean {
  if (baseName(plan.program.name) !== 'curl') return false
  const literals = plan.groups.flatMap(({ args }) => args.map(literalText))
  return !literals.some((text) => text === '--globoff' || /^-[a-zA-Z]*g/.test(text ?? ''))
}
