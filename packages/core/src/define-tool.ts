import type { InvokeContext, JsonSchema, ToolDefinition } from '@callgate/spec'

/** A tool that is a plain function of this program; runs by the built-in adapter `function`. */
export interface FunctionTool extends Omit<ToolDefinition, 'backend' | 'parameters'> {
  /** JSON Schema or any Standard Schema that converts to JSON Schema. */
  readonly parameters: JsonSchema | { readonly '~standard': unknown }
  execute(args: never, context: InvokeContext): unknown
}

export type StandardSchema<Output = unknown> = {
  readonly '~standard': { readonly types?: { readonly output: Output } | undefined }
}

/** What `execute` of a tool with these parameters is called with. */
export type ArgumentsOf<S> = S extends {
  readonly '~standard': { readonly types?: { readonly output: infer O } | undefined }
}
  ? O
  : { readonly [name: string]: unknown }

/**
 * Types a tool given as a function (R5.2): the arguments of `execute` follow from `parameters`.
 *
 * Takes the tool and gives the same object back; it is checked when it is added to a gateway.
 *
 * @example
 * defineTool({
 *   namespace: 'local', name: 'add', description: 'Adds two numbers.',
 *   parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
 *   execute: ({ a, b }) => Number(a) + Number(b),
 * })
 */
export function defineTool<const S extends JsonSchema | StandardSchema>(
  tool: Omit<FunctionTool, 'parameters' | 'execute'> & {
    readonly parameters: S
    execute(args: ArgumentsOf<S>, context: InvokeContext): unknown
  },
): FunctionTool {
  return tool as FunctionTool
}

export function isFunctionTool(tool: ToolDefinition | FunctionTool): tool is FunctionTool {
  return typeof (tool as { execute?: unknown }).execute === 'function'
}
