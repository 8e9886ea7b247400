/** Splits output in which each record ends with a byte; a record that is not finished is kept for the next chunk. */
export async function* recordsOf(
  chunks: AsyncIterable<Buffer>,
  find: (bytes: Buffer, from: number) => number,
): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let from = 0
    for (let end = find(bytes, from); end !== -1; end = find(bytes, from)) {
      yield bytes.subarray(from, end)
      from = end
    }
    rest = bytes.subarray(from)
  }
}

/** The end of a record that is a name and NUL. */
export function endOfName(bytes: Buffer, from: number): number {
  return bytes.indexOf(0, from) + 1 || -1
}

/** The end of a record that is a name, NUL, numbers and a line end. */
export function endOfMatch(bytes: Buffer, from: number): number {
  const name = bytes.indexOf(0, from)
  return name === -1 ? -1 : bytes.indexOf(10, name) + 1 || -1
}
