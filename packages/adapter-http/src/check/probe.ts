import { ToolError } from '@callgate/spec'

import { parseUrl } from '../guard/parse-url.ts'
import type { TargetPolicy } from '../guard/policy.ts'
import { refused } from '../guard/refusal.ts'
import { resolveJudged } from '../guard/resolve.ts'
import { hostnameOf, judgeUrl } from '../guard/url.ts'
import type { Operation, Part } from '../operation/operation.ts'
import { sourcesOf } from '../operation/template.ts'
import { buildRequest, type BuiltRequest } from '../request/build.ts'
import {
  addressAttacks,
  headerAttacks,
  lookupAttacks,
  pairAttacks,
  pathAttacks,
  type HttpAttack,
} from './attacks.ts'
import type { HttpProbe } from './report.ts'

/** Tries the attacks on one tool: its parameters through the builder, its addresses through the guard (G2). */
export async function probeOperation(
  operation: Operation,
  policy: TargetPolicy,
): Promise<readonly HttpProbe[]> {
  const { target } = operation
  const addresses =
    target.kind === 'argument'
      ? addressAttacks.map((attack) => probeAddress(target.name, attack, policy))
      : []
  const host = target.kind === 'argument' ? 'name.example' : hostnameOf(target.base)
  const lookups = lookupAttacks.map((attack) => probeLookup(host, attack, policy))
  const path =
    target.kind === 'server' ? target.path.filter((part) => typeof part !== 'string') : []
  return [
    ...addresses,
    ...(await Promise.all(lookups)).filter((probe) => probe !== undefined),
    ...probeParts(operation, path, pathAttacks),
    ...probeParts(operation, [...operation.query, ...operation.cookies], pairAttacks),
    ...probeParts(operation, operation.headers, headerAttacks),
  ]
}

function probeAddress(parameter: string, attack: HttpAttack, policy: TargetPolicy): HttpProbe {
  return verdict(parameter, attack, judgeUrl(attack.value, policy).refusal?.rule)
}

async function probeLookup(
  host: string,
  attack: HttpAttack,
  policy: TargetPolicy,
): Promise<HttpProbe | undefined> {
  try {
    const judged = await resolveJudged(host, policy, { resolve: async () => [attack.value] })
    // A literal is never looked up.
    return judged.includes(attack.value) ? verdict('(look-up)', attack, undefined) : undefined
  } catch (cause) {
    const rule = ruleOf(cause)
    return rule === 'dns' ? verdict('(look-up)', attack, rule) : undefined
  }
}

function probeParts(
  operation: Operation,
  parts: readonly Part[],
  attacks: readonly HttpAttack[],
): readonly HttpProbe[] {
  const names = new Set(parts.flatMap(({ value }) => sourcesOf(value).arguments))
  return [...names].flatMap((name) => attacks.map((attack) => probePart(operation, name, attack)))
}

function probePart(operation: Operation, parameter: string, attack: HttpAttack): HttpProbe {
  try {
    const harmless = shapeOf(build(operation, parameter, 'sample'))
    const hostile = shapeOf(build(operation, parameter, attack.value))
    // A value that stays data changes no part of the request but its own.
    const outcome = attack.rule === undefined && hostile === harmless ? 'literal' : 'hole'
    return { ...about(parameter, attack), outcome }
  } catch (cause) {
    return verdict(parameter, attack, ruleOf(cause))
  }
}

function build(operation: Operation, parameter: string, value: string): BuiltRequest {
  const { target } = operation
  const names = Object.fromEntries(argumentsOf(operation).map((name) => [name, 'sample']))
  const address = target.kind === 'argument' ? { [target.name]: 'https://name.example/' } : {}
  const given = value === 'sample' ? {} : { [parameter]: value }
  return buildRequest(operation, {
    arguments: { ...names, ...address, ...given },
    secret: () => 'secret',
  })
}

function argumentsOf({ target, query, headers, cookies }: Operation): readonly string[] {
  const path =
    target.kind === 'server' ? target.path.filter((part) => typeof part !== 'string') : []
  return [...path, ...query, ...headers, ...cookies].flatMap(
    ({ value }) => sourcesOf(value).arguments,
  )
}

/** The skeleton of a request: segments, names and numbers, without the values. */
function shapeOf({ url, headers, cookies }: BuiltRequest): string {
  const parsed = parseUrl(url)
  // The parameter is the address too.
  if (parsed === undefined) throw refused({ rule: 'scheme', message: 'It is no address.' })
  const { origin, pathname, searchParams, hash } = parsed
  return JSON.stringify([
    origin,
    pathname.split('/').length,
    [...searchParams.keys()],
    hash,
    Object.keys(headers),
    cookies.map((cookie) => cookie.split(/[=;]/).length),
  ])
}

function verdict(parameter: string, attack: HttpAttack, rule: string | undefined): HttpProbe {
  // A refusal by another rule is no proof that this attack is known, and is reported as it is.
  if (rule !== undefined) return { ...about(parameter, attack), outcome: 'refused', rule }
  return {
    ...about(parameter, attack),
    outcome: 'hole',
    ...(attack.rule === undefined ? {} : { rule: attack.rule }),
  }
}

function about(parameter: string, { name, value }: HttpAttack) {
  return { parameter, attack: name, input: value }
}

function ruleOf(cause: unknown): string | undefined {
  if (ToolError.isInstance(cause)) return cause.rule
  throw cause
}
