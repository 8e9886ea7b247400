/** Whether a page may be shown to a user: https, or http on this machine; nothing that starts a program. */
export function isOpenableUrl(value: unknown): value is string {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const { protocol, hostname, username, password } = new URL(value)
  // Credentials before the host are how a link hides where it leads.
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

/** Whether a host name, as `URL` gives it, is this machine. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(?:\.\d{1,3}){3}$/.test(hostname)
  )
}
