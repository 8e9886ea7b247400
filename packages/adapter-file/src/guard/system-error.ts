import { ToolError } from '@callgate/spec'

/** The code of an error of the operating system, such as ENOENT. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

const failures: { readonly [code: string]: readonly [rule: string, message: string] } = {
  EACCES: ['permission', 'The operating system does not permit it.'],
  EPERM: ['permission', 'The operating system does not permit it.'],
  EROFS: ['permission', 'The file system is read-only.'],
  ENOENT: ['not-found', 'There is no such file or folder.'],
  ENOTDIR: ['not-a-folder', 'A part of the path is no folder.'],
  EISDIR: ['not-a-file', 'It is a folder.'],
  EEXIST: ['exists', 'It exists already.'],
  ENOTEMPTY: ['not-empty', 'The folder is not empty.'],
  EXDEV: ['other-file-system', 'Both ends must lie on one file system.'],
  EINVAL: ['not-possible', 'The operating system cannot do that with this file.'],
}

/**
 * What an error of the operating system means for the caller, without the paths of the host that its text holds.
 *
 * Takes what was thrown, the parameter that it is about, and whether an effect can have begun.
 */
export function systemError(
  error: unknown,
  parameter: string,
  started: ToolError['started'],
): unknown {
  const code = codeOf(error)
  if (code === undefined) return error
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    const message = 'There is no room left on the disk.'
    return new ToolError({
      code: 'backend_error',
      rule: 'no-space',
      message,
      started,
      cause: error,
    })
  }
  const known = failures[code]
  if (known === undefined) {
    const message = `The file system answered ${code}.`
    return new ToolError({ code: 'backend_error', rule: code, message, started, cause: error })
  }
  const [rule, message] = known
  return new ToolError({ code: 'tool_failed', rule, parameter, message, started, cause: error })
}
