const deeplyFrozen = new WeakSet<object>()

/**
 * Freezes a value and the plain objects and lists in it, so that no hook can change what another one saw.
 * Class instances (an AbortSignal, a Map) and byte arrays are left as they are. Gives the same value back.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) freezeTree(value)
  return value
}

// An explicit stack: a value nested 100,000 levels deep must not overflow ours.
function freezeTree(root: object): void {
  const pending: object[] = [root]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (deeplyFrozen.has(node) || !isPlain(node)) continue
    deeplyFrozen.add(node)
    Object.freeze(node)
    for (const key of Object.keys(node)) {
      const child = (node as Record<string, unknown>)[key]
      if (typeof child === 'object' && child !== null) pending.push(child)
    }
  }
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
