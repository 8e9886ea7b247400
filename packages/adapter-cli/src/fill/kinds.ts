import { isIP } from 'node:net'

import type { ArgumentRule } from '../backend.ts'
import type { ToolPlan } from '../declare/plan.ts'
import { refuseCall } from './guard.ts'
import { pathArgument } from './path-argument.ts'
import { checkUrl } from './url-argument.ts'

/** Checks a text by its declared kind (B6); gives back the argument, which for a path is anchored. */
export function byKind(text: string, name: string, rule: ArgumentRule, plan: ToolPlan): string {
  if (rule.kind === 'path') return pathArgument(text, name, plan.workingDir)
  if (rule.kind === 'url') checkUrl(text, name, rule.schemes ?? ['https'], plan)
  if (rule.kind === 'host') checkHost(text, name)
  if (rule.kind === 'rev') checkRevision(text, name)
  return text
}

/** A name by RFC 1123 section 2.1, or an address. */
function checkHost(text: string, name: string): void {
  const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?'
  const isName = text.length <= 253 && new RegExp(`^${label}(?:\\.${label})*$`).test(text)
  if (!isName && isIP(text) === 0) {
    refuseCall('kind-host', name, `"${name}" must be a host name or an address.`)
  }
}

/** Revision syntax of gitrevisions(7) without paths, searches and spaces. */
function checkRevision(text: string, name: string): void {
  if (!/^[\p{L}\p{N}_./@^~{}+=#%-]+$/u.test(text)) {
    refuseCall('kind-rev', name, `"${name}" must be a branch, tag, commit or range of commits.`)
  }
}
