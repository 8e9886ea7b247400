import type { RequestOptions } from '../channel/channel.ts'
import type { Connection } from '../connect/connection.ts'

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

  /** Gives back how to end it. */
  async add(
    connection: Connection,
    uri: string,
    listener: () => void,
    signal: AbortSignal,
  ): Promise<() => Promise<void>> {
    const known = this.#byUri.get(uri)
    const subscription = known ?? {
      listeners: new Set(),
      end: connection.subscribe(uri, { ...this.#limits, signal }),
    }
    // A function of its own for each who asks: the same listener may be given twice.
    const told = (): void => this.#tell(listener)
    subscription.listeners.add(told)
    this.#byUri.set(uri, subscription)
    try {
      await subscription.end
    } catch (error) {
      this.#forget(uri, subscription)
      throw error
    }
    return async () => {
      if (!subscription.listeners.delete(told) || subscription.listeners.size > 0) return
      this.#forget(uri, subscription)
      await (
        await subscription.end
      )()
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
