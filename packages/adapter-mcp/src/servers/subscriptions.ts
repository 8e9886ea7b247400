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

  constructor(limits: RequestOptions) {
    this.#limits = limits
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
    subscription.listeners.add(listener)
    this.#byUri.set(uri, subscription)
    try {
      await subscription.end
    } catch (error) {
      this.#byUri.delete(uri)
      throw error
    }
    return async () => {
      subscription.listeners.delete(listener)
      if (subscription.listeners.size > 0) return
      this.#byUri.delete(uri)
      await (
        await subscription.end
      )()
    }
  }

  updated(uri: string): void {
    for (const listener of this.#byUri.get(uri)?.listeners ?? []) listener()
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
