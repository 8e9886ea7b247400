/** Retry-After in milliseconds from now (RFC 9110 section 10.2.3): seconds or a date; nothing if it is neither. */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  const text = value.trim()
  if (/^\d{1,9}(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000)
  // Without a time of day it is no such date, though the parser makes one even of "-5".
  const date = /\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
