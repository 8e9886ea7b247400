import type { Transport } from '@modelcontextprotocol/client'

/** A transport of this package: it says more than the library asks for. */
export interface OwnTransport extends Transport {
  /** A message above the limit was dropped, both in bytes; `id` is its own, where it could be read. */
  onoversize?: ((id: string | number | undefined, bytes: number, limit: number) => void) | undefined
}
