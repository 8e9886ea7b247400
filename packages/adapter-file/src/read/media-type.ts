const signatures: readonly (readonly [mediaType: string, hex: string])[] = [
  ['image/png', '89504e470d0a1a0a'],
  ['image/jpeg', 'ffd8ff'],
  ['image/gif', '474946383'],
  ['image/bmp', '424d'],
  ['application/pdf', '255044462d'],
  ['application/zip', '504b0304'],
  ['application/gzip', '1f8b'],
  ['application/zstd', '28b52ffd'],
  ['application/x-xz', 'fd377a585a00'],
  ['application/x-7z-compressed', '377abcaf271c'],
  ['application/x-elf', '7f454c46'],
  ['application/wasm', '0061736d'],
  ['application/vnd.sqlite3', '53514c69746520666f726d6174203300'],
  ['font/woff2', '774f4632'],
  ['audio/ogg', '4f676753'],
]

/** What a binary file is, by how it begins. */
export function mediaTypeOf(head: Buffer): string {
  const hex = head.subarray(0, 16).toString('hex')
  return signatures.find(([, start]) => hex.startsWith(start))?.[0] ?? 'application/octet-stream'
}
