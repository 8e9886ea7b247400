import { InvalidOptionsError, ToolError } from '@callgate/spec'

import { secretName } from '../operation/template.ts'
import { isHeaderName } from '../request/header.ts'
import type { HttpAuth } from './auth.ts'

/** Gives the secret with a name, by the host alone. */
export type SecretSource = (name: string) => string

/**
 * Wraps the host's secrets, so that a missing one is an error that names it and shows nothing else.
 *
 * @throws ToolError `internal` when the host has no such secret.
 */
export function secretSource(lookUp: (name: string) => string): SecretSource {
  return (name) => {
    try {
      return lookUp(name)
    } catch (cause) {
      throw new ToolError({
        code: 'internal',
        rule: 'secret',
        started: 'no',
        message: `The secret ${name} that this tool needs is not set.`,
        cause,
      })
    }
  }
}

/** The names of the secrets that a declaration refers to. */
export function secretsIn(declaration: unknown): readonly string[] {
  const text = JSON.stringify(declaration) ?? ''
  const names = [...text.matchAll(/\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g)].map(([, name = '']) => name)
  return [...new Set(names)]
}

/** Whether the host has a secret. */
export function hasSecret(name: string, secret: SecretSource): boolean {
  try {
    secret(name)
    return true
  } catch {
    return false
  }
}

/** Resolves `{env:NAME}`. */
export function resolveReference(reference: string, secret: SecretSource): string {
  const name = secretName(reference)
  return name === undefined ? reference : secret(name)
}

/**
 * Refuses a secret that is written out (R5.5), and a place that it cannot go to.
 *
 * @throws InvalidOptionsError with the rule `secret-literal`, `token-url` or `header-name`.
 */
export function checkAuth(auth: HttpAuth, where: string): void {
  if (auth.type === 'oauth2' && !/^https?:\/\/[^/]/i.test(auth.tokenUrl)) {
    throw new InvalidOptionsError({
      rule: 'token-url',
      where: `${where}/auth/tokenUrl`,
      message: `"${auth.tokenUrl}" is not an absolute http or https address.`,
      hint: 'Write it whole, such as "https://login.example.com/oauth/token".',
    })
  }
  if (auth.type === 'apiKey' && auth.in === 'header' && !isHeaderName(auth.name)) {
    throw new InvalidOptionsError({
      rule: 'header-name',
      where: `${where}/auth/name`,
      message: `"${auth.name}" cannot name a header.`,
      hint: 'Use letters, digits and "-" alone.',
    })
  }
  for (const [field, value] of Object.entries(secretFields(auth))) {
    if (secretName(value) !== undefined) continue
    throw new InvalidOptionsError({
      rule: 'secret-literal',
      where: `${where}/auth/${field}`,
      message: `The ${field} is written out.`,
      hint: 'Name it by reference, such as "{env:API_TOKEN}".',
    })
  }
}

function secretFields(auth: HttpAuth): Record<string, string> {
  if (auth.type === 'bearer') return { token: auth.token }
  if (auth.type === 'basic') return { password: auth.password }
  return auth.type === 'apiKey' ? { value: auth.value } : { clientSecret: auth.clientSecret }
}
