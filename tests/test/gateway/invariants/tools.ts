import { defineTool, type FunctionTool } from '@callgate/core'
import { ToolError, type ToolDefinition } from '@callgate/spec'

import type { Behaviour } from './scenario.ts'
import type { Seen } from './seen.ts'

async function* pieces(): AsyncGenerator {
  yield 'a'
  yield await Promise.resolve('b')
}

function behave(name: Behaviour): unknown {
  switch (name) {
    case 'throws':
      throw new Error('no')
    case 'rejects':
      return Promise.reject(new Error('no'))
    case 'fault':
      throw new ToolError({ code: 'backend_error', message: 'no', started: 'unknown' })
    case 'falls back':
      throw new ToolError({ code: 'backend_unavailable', message: 'no', started: 'no' })
    case 'hangs':
      return new Promise(() => {})
    case 'works later':
      return Promise.resolve('later')
    case 'streams':
      return pieces()
    default:
      return 'now'
  }
}

const parameters = {
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
} as const

export function toolNamed(name: Behaviour, seen: Seen): FunctionTool | ToolDefinition {
  const common = {
    namespace: 'local',
    name: name.replaceAll(' ', '_'),
    description: name,
    parameters,
    timeoutMs: 500,
  }
  if (name === 'of steps') {
    const steps = ['local::works', 'local::only_reads'].map((tool) => ({
      tool,
      arguments: { n: '{n}' },
    }))
    return { ...common, backend: { adapter: 'composite', steps } }
  }
  return defineTool({
    ...common,
    ...(name === 'needs approval' ? { confirm: true } : {}),
    ...(name === 'falls back' ? { fallback: ['local::fault', 'local::works_later'] } : {}),
    ...(name === 'only reads'
      ? {
          effects: { readOnly: true },
          retry: { maxRetries: 1, backoff: 'fixed', initialDelayMs: 10 },
        }
      : {}),
    execute(args) {
      seen.runs++
      if (!seen.gated.has(args)) seen.ungated.push([name, args])
      if (seen.stopped) seen.afterStop.push([name, args])
      return behave(name)
    },
  })
}
