import { createCoercer } from '@callgate/coercion'
import { deepFreeze } from '@callgate/hooks'
import type { AdapterInstance, BoundAdapter, ToolDefinition } from '@callgate/spec'

import { fail } from '../measure/expect.ts'
import { within } from '../measure/within.ts'
import type { AdapterSuiteOptions, Fixture } from '../suite/options.ts'
import { adapterHost } from './adapter-host.ts'
import { invoke, type Invocation } from './invocation.ts'
import { listed } from './listing.ts'
import { plainCopy } from './plain-copy.ts'
import { checkInstance } from './shapes.ts'

/** What a check works on. */
export interface Subject {
  readonly factory: () => Promise<BoundAdapter>
  readonly options: AdapterSuiteOptions
}

/** An adapter that has started and whose tools are known. */
export interface Running {
  readonly bound: BoundAdapter
  readonly instance: AdapterInstance
  readonly tools: readonly ToolDefinition[]
  readonly prepare: (fixture: Fixture) => Prepared
  readonly call: (fixture: Fixture, settings?: CallSettings) => Invocation
}

/** A fixture as the core hands it over: the tool's definition and arguments that fit its schema, both deeply frozen. */
interface Prepared {
  readonly tool: ToolDefinition
  readonly arguments: { readonly [name: string]: unknown }
}

interface CallSettings {
  /** The signal is aborted before the call begins. */
  readonly aborted?: boolean
  /** The call has a tool and arguments of its own that it may write to, which the core gives to none. */
  readonly writable?: boolean
}

const startMs = 60_000
const graceMs = 500

/** Creates and starts an adapter, uses it, and stops it whatever happened. */
export async function withRunning<T>(
  subject: Subject,
  use: (running: Running) => Promise<T>,
): Promise<T> {
  const bound = await subject.factory()
  const instance = bound.create(adapterHost(subject.options.secrets ?? {}))
  checkInstance(instance)
  const inFlight: Invocation[] = []
  try {
    return await use(await start(bound, instance, subject, inFlight))
  } finally {
    for (const call of inFlight) call.abort()
    await stopQuietly(instance)
  }
}

/** Stops an adapter at the end of a check. How well it stops is the business of the check `stop` alone. */
export async function stopQuietly(instance: AdapterInstance): Promise<void> {
  await within(stop(instance), graceMs + 4500).catch(() => {})
}

async function start(
  bound: BoundAdapter,
  instance: AdapterInstance,
  { options }: Subject,
  inFlight: Invocation[],
): Promise<Running> {
  const declared = (options.tools ?? []).map(asRegistered)
  for (const tool of declared) instance.accept?.(tool)
  await instance.start?.(AbortSignal.timeout(startMs))
  const tools = [...declared, ...(await listed(bound, instance)).map(asRegistered)]
  const prepare = (fixture: Fixture): Prepared => prepared(fixture, tools)
  return {
    bound,
    instance,
    tools,
    prepare,
    call(fixture, { aborted = false, writable = false } = {}) {
      const given = prepare(fixture)
      const call = invoke({ instance, aborted, ...(writable ? plainCopy(given) : given) })
      inFlight.push(call)
      return call
    },
  }
}

/** The adapter's own object is neither frozen nor handed over. */
function asRegistered(tool: ToolDefinition): ToolDefinition {
  return deepFreeze(plainCopy(tool))
}

async function stop(instance: AdapterInstance): Promise<void> {
  await instance.stop?.({ graceMs })
}

function prepared(fixture: Fixture, tools: readonly ToolDefinition[]): Prepared {
  const ids = tools.map(({ namespace, name }) => `${namespace}::${name}`)
  const exact = ids.indexOf(fixture.tool)
  const tool = tools[exact === -1 ? tools.findIndex(({ name }) => name === fixture.tool) : exact]
  if (tool === undefined) {
    fail(`The adapter has no tool "${fixture.tool}"; it has ${ids.join(', ') || 'none'}.`)
  }
  const { value, valid, errors } = createCoercer(tool.parameters).coerce(
    structuredClone(fixture.arguments),
  )
  if (valid) return { tool, arguments: deepFreeze(value as Prepared['arguments']) }
  const [fault] = errors
  return fail(
    `The arguments of the fixture "${fixture.tool}" do not fit its schema: ` +
      `${fault?.path || 'the whole'} is ${fault?.got}; expected ${fault?.expected}.`,
  )
}
