// The digits may be superscripts: COM¹ is a device as COM1 is.
const device = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9\u00B9\u00B2\u00B3])[ ]*(\..*)?$/i

/** `C:x`, `C:\x`, `\\server\share`, `\\?\C:\x`. */
export function isWindowsPath(path: string): boolean {
  return /^[A-Za-z]:/.test(path) || path.startsWith('\\\\')
}

/**
 * Names that mean another file on Windows, or none: devices, streams (`a.txt:b`), and a dot or blank at the end, which
 * Windows drops. Refused on every platform, so that a declaration means the same everywhere (C6).
 */
export function isWindowsName(name: string): boolean {
  return name.includes(':') || /[. ]$/.test(name) || device.test(name)
}
