import type { ToolFaults } from '@callgate/spec'

import type { Refuse } from './refuse.ts'

const secretReference = /\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g
/** Names of values that nobody writes out; `TOKEN_FILE` and the like name a place. */
const secretName = /(^|_)(TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|CREDENTIALS?)$/i
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/

/**
 * The environment of a program: what is declared and nothing else (B8).
 *
 * `{env:NAME}` is replaced by the secret NAME; `inherit` names variables of this process that are taken over,
 * those that are not set being left out.
 */
export function environmentOf(
  declared: { readonly [name: string]: string },
  inherit: readonly string[],
  secret: (name: string) => string,
  { attempt, refuse }: ToolFaults,
): { readonly [name: string]: string } {
  const environment: { [name: string]: string } = {}
  for (const name of inherit) {
    const value = process.env[name]
    if (value !== undefined) environment[name] = value
  }
  for (const [name, text] of Object.entries(declared)) {
    const value = attempt(() => variable(name, text, secret, refuse))
    if (value !== undefined) environment[name] = value
  }
  return environment
}

function variable(
  name: string,
  text: string,
  secret: (name: string) => string,
  refuse: Refuse,
): string {
  if (!variableName.test(name) || text.includes('\0')) {
    refuse(
      'environment',
      `"${name}" cannot be an environment variable.`,
      'Use letters, digits and "_" in the name and no NUL in the value.',
    )
  }
  if (secretName.test(name) && text !== '' && !text.includes('{env:')) {
    refuse(
      'secret-literal',
      `${name} holds a secret that is written out.`,
      `Write ${name}: "{env:${name}}" and give the gateway the secret.`,
    )
  }
  return text.replace(secretReference, (_, reference: string) =>
    readSecret(reference, secret, refuse),
  )
}

function readSecret(name: string, secret: (name: string) => string, refuse: Refuse): string {
  try {
    return secret(name)
  } catch {
    return refuse(
      'secret-missing',
      `{env:${name}} names a secret that the gateway does not have.`,
      `Set ${name} before the gateway starts, or remove the reference.`,
    )
  }
}
