/** Bytes for each of several sizes: the small keep all they have; what is left is shared evenly among the large. */
export function shareOut(sizes: readonly number[], maxBytes: number): readonly number[] {
  const shares = sizes.map(() => 0)
  const order = sizes.map((_, index) => index).toSorted((a, b) => sizes[a]! - sizes[b]!)
  let left = maxBytes
  for (const [place, index] of order.entries()) {
    const share = Math.min(sizes[index]!, Math.floor(left / (order.length - place)))
    shares[index] = share
    left -= share
  }
  return shares
}
