const inherited = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TERM',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'TEMP',
  'TMP',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'ALL_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  // What Windows programs need to start at all.
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATHEXT',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
])

/**
 * The environment of a server: an allow-list of the host's variables, and the configured ones over it (R8.4).
 * Secrets of the host stay out unless they are configured, or `inheritAll` asks for everything.
 */
export function serverEnvironment(
  host: Readonly<Record<string, string | undefined>>,
  configured: Readonly<Record<string, string>>,
  inheritAll: boolean,
): Record<string, string> {
  const result: Record<string, string> = {}
  for (const [name, value] of Object.entries(host)) {
    if (value !== undefined && (inheritAll || isInherited(name, value))) result[name] = value
  }
  return { ...result, ...configured }
}

function isInherited(name: string, value: string): boolean {
  const upper = name.toUpperCase()
  if (!inherited.has(upper) && !upper.startsWith('LC_') && !upper.startsWith('XDG_')) return false
  // An exported shell function is code, not a setting.
  return !value.startsWith('()')
}
