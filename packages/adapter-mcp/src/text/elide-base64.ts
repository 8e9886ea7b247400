const shortest = 512
const encoded = /^(?:data:[^,]{0,200};base64,)?[A-Za-z0-9+/_-]+={0,2}$/

/** JSON for a model: what is encoded bytes to it says only how many characters it had. */
export function jsonWithoutBase64(value: unknown): string {
  return (
    JSON.stringify(value, (_name, item: unknown) =>
      typeof item === 'string' && item.length >= shortest && encoded.test(item)
        ? `[${String(item.length)} characters of base64 left out]`
        : item,
    ) ?? 'null'
  )
}
