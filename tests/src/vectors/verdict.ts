/** What came of one vector. `waiting` = it needs a feature that is not there yet. */
export interface Verdict {
  readonly id: string
  readonly ok: boolean | 'waiting'
  /** What differed, or what it waits for. */
  readonly detail: string
}

/** Judges a vector by the differences that were found. */
function verdict(id: string, differences: readonly string[]): Verdict {
  return { id, ok: differences.length === 0, detail: differences.join('; ') }
}

/** Runs one vector; a throw is a failure like any other. */
export async function judge(
  id: string,
  run: () => readonly string[] | Promise<readonly string[]>,
): Promise<Verdict> {
  try {
    return verdict(id, await run())
  } catch (error) {
    return {
      id,
      ok: false,
      detail: error instanceof Error ? (error.stack ?? error.message) : String(error),
    }
  }
}
