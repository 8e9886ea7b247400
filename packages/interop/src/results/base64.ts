const chunk = 0x8000

/** Bytes as base64; in pieces, since a function takes only so many arguments. */
export function base64(bytes: Uint8Array): string {
  let binary = ''
  for (let start = 0; start < bytes.length; start += chunk) {
    binary += String.fromCharCode(...bytes.subarray(start, start + chunk))
  }
  return btoa(binary)
}
