import type { Logger, ToolDefinition } from '@callgate/spec'

/** From the start of a word only: from its middle, a long word would be searched as often as it has letters. */
const aName = /(?<![A-Za-z0-9])[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)+/g

/**
 * Looks at the tools of all servers together: a name that another server had before, and a description that speaks
 * of another server's tool, are how one server gets hold of calls that are meant for another.
 */
export class Shadowing {
  readonly #log: Logger
  readonly #strict: boolean
  readonly #firstServer = new Map<string, string>()
  readonly #reported = new Set<string>()

  /** `strict`: a late claim of a known name is kept back, not only reported. */
  constructor(log: Logger, strict: boolean) {
    this.#log = log
    this.#strict = strict
  }

  admit(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
    const theirs = tools.filter(isOfServer)
    const admitted = tools.filter((tool) => {
      if (!isOfServer(tool)) return true
      const first = this.#firstServer.get(tool.name) ?? tool.namespace
      this.#firstServer.set(tool.name, first)
      if (first === tool.namespace) return true
      this.#report('mcp: a server offers a tool of a name that another had first', tool, first)
      return !this.#strict
    })
    for (const tool of admitted.filter(isOfServer)) this.#checkDescription(tool, theirs)
    return admitted
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
