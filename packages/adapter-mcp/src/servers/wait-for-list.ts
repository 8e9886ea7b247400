import { abortable } from './abortable.ts'

const longestMs = 5000

/**
 * Waits for a list, but not so long that the tools of other servers have to: where it takes longer, `later` is called
 * when it is there.
 */
export async function waitForList(
  listed: Promise<void>,
  signal: AbortSignal,
  later: () => void,
): Promise<void> {
  const late = AbortSignal.timeout(longestMs)
  try {
    await abortable(listed, AbortSignal.any([signal, late]))
  } catch (error) {
    if (signal.aborted || !late.aborted) throw error
    listed.then(later, () => undefined)
  }
}
