import { ToolError, type AdapterCall, type AdapterOutput, type InvokeContext } from '@callgate/spec'

import { rootsFor, type FilePlan } from './declare/accept.ts'
import { normalizePath } from './declare/normalize-path.ts'
import { refuse, throwIfAborted } from './guard/refuse.ts'
import { systemError } from './guard/system-error.ts'
import type { Shared } from './operations/operation.ts'
import { isChange, isReading } from './operations/operations.ts'
import { checkStillThere, type Root } from './roots/root.ts'

/**
 * Runs one call: chooses the root, makes paths of the host relative where that is declared, and does the operation.
 *
 * @throws ToolError for every refusal and failure.
 */
export async function invoke(
  { arguments: args }: AdapterCall,
  plan: FilePlan,
  roots: ReadonlyMap<string, Root>,
  shared: Shared,
  context: InvokeContext,
): Promise<AdapterOutput> {
  throwIfAborted(context.signal)
  const root = chosenRoot(args['root'], plan, roots)
  checkReading(root, plan)
  try {
    return await plan.operation.run({ root, args: argumentsFor(plan, root, args), context, shared })
  } catch (error) {
    const [first = 'path'] = Object.keys(plan.operation.paths)
    if (!ToolError.isInstance(error)) {
      throw systemError(error, first, isChange(plan.operation) ? 'unknown' : 'no')
    }
    // Without its root nothing is found, which is no fault of the path.
    if (error.rule === 'not-found') checkStillThere(root)
    throw error
  }
}

/** The root that the call names, else the first in which the operation is permitted. */
function chosenRoot(asked: unknown, plan: FilePlan, roots: ReadonlyMap<string, Root>): Root {
  const [first] = rootsFor(plan, roots)
  // What is asked for and not permitted is refused by the operation, with the reason.
  const root = plan.root === undefined && typeof asked === 'string' ? roots.get(asked) : first
  return root ?? refuse('root', 'root', 'There is no such root.')
}

/** Whether it may be written is the guard's question, at the place of each file. */
function checkReading(root: Root, { operation }: FilePlan): void {
  if (root.read || !isReading(operation)) return
  const [parameter = 'path'] = Object.keys(operation.paths)
  refuse('write-only', parameter, `The root "${root.name}" is write-only.`)
}

function argumentsFor(
  { operation, normalizePath: own }: FilePlan,
  root: Root,
  args: AdapterCall['arguments'],
): AdapterCall['arguments'] {
  if (!(own ?? root.normalizePath)) return args
  const paths = Object.keys(operation.paths).filter((name) => Object.hasOwn(args, name))
  return {
    ...args,
    ...Object.fromEntries(paths.map((name) => [name, normalizePath(root, args[name])])),
  }
}
