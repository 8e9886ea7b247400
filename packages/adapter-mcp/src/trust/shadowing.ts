import type { Logger, ToolDefinition } from '@callgate/spec'

/** From the start of a word only: from its middle, a long word would be searched as often as it has letters. */
const aName = /(?<![A-Za-z0-9])[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)+/g

/** A server as far as it can have a name for itself. */
export interface Claimant {
  /** How it is reached: the same server may be there twice, for two users. */
  readonly identity: string
  /** Whether a tool of this name was approved as this server's. */
  vouches(tool: string): boolean
}

/**
 * Looks at the tools of all servers together: a name that another server had before, and a description that speaks
 * of another server's tool, are how one server gets hold of calls that are meant for another.
 */
export class Shadowing {
  readonly #log: Logger
  readonly #strict: boolean
  readonly #servers: ReadonlyMap<string, Claimant>
  readonly #firstServer = new Map<string, string>()
  readonly #reported = new Set<string>()

  /** `strict`: a late claim of a known name is kept back until it is approved, not only reported. */
  constructor(log: Logger, strict: boolean, servers: ReadonlyMap<string, Claimant>) {
    this.#log = log
    this.#strict = strict
    this.#servers = servers
  }

  /** The tools that may be offered, and the late claims that may not. */
  admit(tools: readonly ToolDefinition[]): {
    readonly admitted: readonly ToolDefinition[]
    readonly late: readonly ToolDefinition[]
  } {
    const theirs = tools.filter(isOfServer)
    const late = theirs.filter((tool) => this.#isLate(tool))
    const admitted = tools.filter((tool) => !late.includes(tool))
    for (const tool of admitted.filter(isOfServer)) this.#checkDescription(tool, theirs)
    return { admitted, late }
  }

  #isLate(tool: ToolDefinition): boolean {
    const { name, namespace } = tool
    const first = this.#firstServer.get(name) ?? this.#ownerOf(tool)
    this.#firstServer.set(name, first)
    const mine = this.#servers.get(namespace)
    if (first === namespace || this.#servers.get(first)?.identity === mine?.identity) return false
    this.#report('mcp: a server offers a tool of a name that another had first', tool, first)
    return this.#strict && mine?.vouches(name) !== true
  }

  /** One whose tool of the name was approved, be it not even up yet; else the one that comes with it. */
  #ownerOf({ name, namespace }: ToolDefinition): string {
    if (this.#servers.get(namespace)?.vouches(name) === true) return namespace
    const approved = [...this.#servers].find(([, server]) => server.vouches(name))
    return approved?.[0] ?? namespace
  }

  #checkDescription(tool: ToolDefinition, all: readonly ToolDefinition[]): void {
    const words = new Set(tool.description.match(aName))
    if (words.size === 0) return
    const other = all.find(({ name, namespace }) => namespace !== tool.namespace && words.has(name))
    if (other !== undefined) {
      this.#report('mcp: a description speaks of a tool of another server', tool, other.namespace)
    }
  }

  #report(message: string, tool: ToolDefinition, other: string): void {
    const key = JSON.stringify([message, tool.namespace, tool.name, other])
    if (this.#reported.has(key)) return
    this.#reported.add(key)
    this.#log.warn(message, { server: tool.namespace, tool: tool.name, other })
  }
}

/** Not one of those that the adapter makes for resources and prompts, which have the same names for every server. */
function isOfServer({ backend }: ToolDefinition): boolean {
  return backend['access'] === undefined
}
