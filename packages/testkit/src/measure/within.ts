const late: unique symbol = Symbol('late')
export type Late = typeof late

/** What a promise gives, or {@link isLate} when that takes longer. A late one is left to itself. */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T | Late> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<Late>((resolve) => {
    timer = setTimeout(() => resolve(late), ms)
  })
  try {
    return await Promise.race([promise, limit])
  } finally {
    clearTimeout(timer)
    // It is nobody's business any more, and must not end the process.
    Promise.resolve(promise).catch(() => {})
  }
}

export function isLate(value: unknown): value is Late {
  return value === late
}
