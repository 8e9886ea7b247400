import { InvalidToolError, type ToolDefinition } from '@callgate/spec'

/** Says which rule a declaration breaks and what to write instead. */
export type Refuse = (rule: string, message: string, hint: string) => never

export function refuserOf(tool: Pick<ToolDefinition, 'namespace' | 'name'>): Refuse {
  const id = `${tool.namespace}::${tool.name}`
  return (rule, message, hint) => {
    throw new InvalidToolError({ rule, where: id, message: `Tool "${id}": ${message}`, hint })
  }
}
