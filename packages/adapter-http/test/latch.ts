/** A promise that a test resolves itself. */
export function latch(): { readonly opened: Promise<void>; readonly open: () => void } {
  let release: (() => void) | undefined
  const opened = new Promise<void>((resolve) => {
    release = resolve
  })
  return { opened, open: () => release?.() }
}
