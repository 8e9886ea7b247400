export { createHookBus } from './bus.ts'
export { deepFreeze } from './freeze.ts'
export { matchesGlob } from './glob.ts'
export { isPromiseLike } from './promise-like.ts'
export type {
  EventMap,
  EventRule,
  FaultRule,
  HookBus,
  HookBusOptions,
  HookClock,
  HookKind,
  HookOptions,
  HookOutcome,
  HookReturn,
  HookRunOptions,
  HookTrace,
} from './types.ts'
