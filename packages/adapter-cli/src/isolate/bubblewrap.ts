import { isInside } from '../declare/folders.ts'
import type { RunPlan } from '../declare/plan.ts'

/** Programs, libraries, and the parts of /etc without which names, certificates and time zones do not work. */
const systemPaths = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'],
  ...['/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d', '/etc/alternatives'],
  ...['/etc/passwd', '/etc/group', '/etc/nsswitch.conf', '/etc/localtime'],
  ...['/etc/hosts', '/etc/resolv.conf', '/etc/ssl', '/etc/ca-certificates', '/etc/pki'],
]

/** Descriptor on which bubblewrap tells how the program ended; see `RunRequest.statusDescriptor`. */
const statusDescriptor = '3'

/**
 * The arguments of bubblewrap up to the program (B13): namespaces of its own for processes, network, users and the
 * rest, no capabilities, the system read-only, the working directory read-only unless it is declared writable, an
 * empty /tmp, and an end with whoever started it.
 */
export function bubblewrapArguments(plan: RunPlan): readonly string[] {
  const { program, workingDir, sandbox } = plan
  const own = [program.path, program.identity.realPath].filter(
    (path) => !systemPaths.some((root) => isInside(root, path)),
  )
  return [
    ...['--unshare-all', ...(sandbox.network ? ['--share-net'] : [])],
    ...['--die-with-parent', '--cap-drop', 'ALL', '--json-status-fd', statusDescriptor],
    ...bind('--ro-bind-try', systemPaths),
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
    ...bind('--ro-bind', own),
    ...bind('--ro-bind', [...sandbox.readable, workingDir]),
    ...bind('--bind', sandbox.writable),
    ...['--chdir', workingDir, '--'],
  ]
}

function bind(option: string, paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => [option, path, path])
}
