import { ToolError } from '@callgate/spec'

/** Puts secrets in place of `{env:NAME}`, once: what comes in is not read again. Remembers what it put in. */
export interface Secrets {
  readonly fill: (text: string) => string
  readonly known: ReadonlySet<string>
}

export function createSecrets(server: string, secret: (name: string) => string): Secrets {
  const known = new Set<string>()

  function resolve(name: string): string {
    let value: string
    try {
      value = secret(name)
    } catch (cause) {
      throw new ToolError({
        code: 'backend_unavailable',
        message: `MCP server "${server}" needs the secret ${name}, which is not set.`,
        rule: 'missing-secret',
        started: 'no',
        cause,
      })
    }
    known.add(value)
    return value
  }

  return {
    fill: (text) =>
      text.replaceAll(/\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g, (_all, name: string) => resolve(name)),
    known,
  }
}
