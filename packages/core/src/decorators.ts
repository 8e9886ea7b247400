import type { InvokeContext } from '@callgate/spec'

import type { FunctionTool } from './define-tool.ts'

type Method = (args: never, context: InvokeContext) => unknown

const declared = new WeakMap<object, FunctionTool[]>()

/**
 * Makes a method a tool (R5.2); a decorator of the TC39 proposal, for code compiled by tsc, esbuild or tsup. The twin
 * for plain functions is `defineTool`. The tools of an object are what `toolsOf` gives.
 *
 * @example
 * class Notes {
 *   \@tool({ namespace: 'notes', name: 'read', description: 'Reads a note.', parameters: { type: 'object' } })
 *   read(args: { id: number }) { … }
 * }
 */
export function tool(
  definition: Omit<FunctionTool, 'execute'>,
): (method: Method, context: ClassMethodDecoratorContext) => void {
  return (_, context) => {
    context.addInitializer(function (this: unknown) {
      const owner = this as object
      const tools = declared.get(owner) ?? []
      declared.set(owner, tools)
      // Looked up at each call, so that a subclass or a test may replace the method.
      const execute: Method = (args, invokeContext) =>
        (context.access.get(owner) as Method).call(owner, args, invokeContext)
      tools.push({ ...definition, execute })
    })
  }
}

/** The tools that the decorated methods of an object are; of a class without any: none. */
export function toolsOf(owner: object): readonly FunctionTool[] {
  return declared.get(owner) ?? []
}
