import type { RequestOptions } from '../channel/channel.ts'
import type { Connection } from '../connect/connection.ts'
import { abortable } from './abortable.ts'

interface Subscription {
  readonly listeners: Set<() => void>
  end: Promise<() => Promise<void>>
}

/** Who wants to know of which resource, over all connections that a server has in its life. */
export class Subscriptions {
  readonly #byUri = new Map<string, Subscription>()
  readonly #limits: RequestOptions
  readonly #failed: (error: unknown) => void

  /** `failed` is told what a listener throws. */
  constructor(limits: RequestOptions, failed: (error: unknown) => void) {
    this.#limits = limits
    this.#failed = failed
  }

  /** Whether nobody wants to know of anything. */
  get none(): boolean {
    return this.#byUri.size === 0
  }

  /** Gives back how to end it. */
  async add(
    connection: Connection,
    uri: string,
    listener: () => void,
    signal: AbortSignal,
  ): Promise<() => Promise<void>> {
    const begin = (): Subscription['end'] => connection.subscribe(uri, { ...this.#limits, signal })
    const known = this.#byUri.get(uri)
    const subscription = known ?? { listeners: new Set(), end: begin() }
    // Who began it may have given up, and a server that refused it once may take it now.
    if (known !== undefined) known.end = known.end.catch(begin)
    // A function of its own for each who asks: the same listener may be given twice.
    const told = (): void => this.#tell(listener)
    subscription.listeners.add(told)
    this.#byUri.set(uri, subscription)
    try {
      await abortable(subscription.end, signal)
    } catch (error) {
      subscription.listeners.delete(told)
      // Others may still wait for it, or for the next connection.
      if (subscription.listeners.size === 0) this.#forget(uri, subscription)
      throw error
    }
    return async () => {
      if (!subscription.listeners.delete(told) || subscription.listeners.size > 0) return
      this.#forget(uri, subscription)
      // Where it could not be renewed there is nothing to end.
      const end = await subscription.end.catch(() => undefined)
      await end?.()
    }
  }

  updated(uri: string): void {
    for (const told of this.#byUri.get(uri)?.listeners ?? []) told()
  }

  /** What comes from the server must not be lost over a listener that throws or rejects. */
  #tell(listener: () => unknown): void {
    ;(async () => listener())().catch(this.#failed)
  }

  /** Another one may have taken its place. */
  #forget(uri: string, subscription: Subscription): void {
    if (this.#byUri.get(uri) === subscription) this.#byUri.delete(uri)
  }

  /** On a new connection. What changed in between is unknown, so each counts as changed. */
  renew(connection: Connection): void {
    for (const [uri, subscription] of this.#byUri) {
      subscription.end = connection.subscribe(uri, this.#limits)
      subscription.end.then(
        () => this.updated(uri),
        () => undefined,
      )
    }
  }
}
