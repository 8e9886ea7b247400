import {
  createGateway,
  defineTool,
  type FunctionTool,
  type Gateway,
  type GatewayOptions,
} from '@callgate/core'
import { ToolError, type ToolErrorInit } from '@callgate/spec'

import type { VirtualClock } from '../../src/virtual-clock.ts'

export const never = new Promise<never>(() => {})

export function tool(
  name: string,
  execute: () => unknown,
  more: Partial<FunctionTool> = {},
): FunctionTool {
  return defineTool({
    namespace: 'local',
    name,
    description: name,
    parameters: true,
    ...more,
    execute,
  } as never)
}

export function gatewayOf(
  time: VirtualClock,
  tools: readonly FunctionTool[],
  more: Partial<GatewayOptions> = {},
): Gateway {
  return createGateway({ tools, ...more, ports: { clock: time.clock, random: { next: () => 0 } } })
}

export function fault(
  code: ToolErrorInit['code'],
  started: ToolErrorInit['started'],
  more: object = {},
): ToolError {
  return new ToolError({ code, started, message: `${code} ${started}`, ...more })
}

export const call = (name: string) => ({ name, arguments: {} })
