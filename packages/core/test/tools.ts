import { CallgateError, type JsonSchema } from '@callgate/spec'

import {
  createGateway,
  defineTool,
  type FunctionTool,
  type Gateway,
  type GatewayOptions,
} from '../src/index.ts'

/** A tool in the namespace local that takes anything, or what `more` says. */
export function tool(
  name: string,
  execute: FunctionTool['execute'],
  more: Partial<Omit<FunctionTool, 'execute'>> = {},
): FunctionTool {
  return defineTool({
    namespace: 'local',
    name,
    description: `Does ${name}.`,
    parameters: { type: 'object' } as JsonSchema,
    ...more,
    execute: execute as (args: unknown) => unknown,
  } as Parameters<typeof defineTool>[0])
}

export function gatewayOf(
  tools: GatewayOptions['tools'],
  more: Omit<GatewayOptions, 'tools'> = {},
): Gateway {
  return createGateway({ tools: tools ?? [], ...more })
}

/** The error of this project with which something is refused at set-up; undefined where it is not. */
export function refusal(run: () => unknown): CallgateError | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    if (CallgateError.isInstance(error)) return error
    throw error
  }
}
