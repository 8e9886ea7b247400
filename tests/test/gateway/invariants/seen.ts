/** What the tools and hooks of one gateway saw. */
export interface Seen {
  /** The very objects that passed all gates. */
  readonly gated: WeakSet<object>
  /** Executions on arguments that no gate had passed, and after a stop. */
  readonly ungated: unknown[]
  readonly afterStop: unknown[]
  readonly posts: string[]
  runs: number
  stopped: boolean
}

export function newlySeen(): Seen {
  return {
    gated: new WeakSet(),
    ungated: [],
    afterStop: [],
    posts: [],
    runs: 0,
    stopped: false,
  }
}
