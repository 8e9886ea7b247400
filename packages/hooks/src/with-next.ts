/**
 * A payload with another `next`. One of a class also has what its class makes when it is looked at, and is frozen; what
 * is in it is as its maker left it.
 */
export function withNext<Payload extends object>(
  payload: Payload,
  next: () => Promise<unknown>,
): Payload {
  const type = Object.getPrototypeOf(payload) as object | null
  if (type === null || type === Object.prototype) return { ...payload, next }
  const view = Object.assign(Object.create(viewOf(type)) as Payload, payload, { next })
  payloads.set(view, payload)
  return Object.freeze(view)
}

/** Behind a view: a class may keep what only its own objects reach. */
const payloads = new WeakMap<object, object>()
const views = new WeakMap<object, object>()

/** From what views of payloads of a class inherit; made once. */
function viewOf(type: object): object {
  const known = views.get(type)
  if (known !== undefined) return known
  const view: object = {}
  for (const name of namesOf(type)) {
    Object.defineProperty(view, name, { get: reader(name), set: owner(name) })
  }
  views.set(type, view)
  return view
}

function namesOf(type: object | null): readonly string[] {
  if (type === null || type === Object.prototype) return []
  const own = Object.getOwnPropertyNames(type).filter((name) => name !== 'constructor')
  return [...new Set([...own, ...namesOf(Object.getPrototypeOf(type) as object | null)])]
}

/** A field of the view itself, though its class has one of that name. */
function owner(name: string): (value: unknown) => void {
  return function own(this: object, value: unknown): void {
    Object.defineProperty(this, name, { value, enumerable: true })
  }
}

function reader(name: string): () => unknown {
  return function read(this: object): unknown {
    const payload = payloads.get(this)
    const value = (payload as Record<string, unknown> | undefined)?.[name]
    return typeof value === 'function' ? (value.bind(payload) as unknown) : value
  }
}
