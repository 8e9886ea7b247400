/** The resources that a call reads and writes. */
export interface Access {
  readonly read: readonly string[]
  readonly write: readonly string[]
}

/** One part of a resource: what is done to it, and to anything below it. */
class Place {
  read = false
  written = false
  readBelow = false
  writtenBelow = false
  #below: Map<string, Place> | undefined

  get(part: string): Place | undefined {
    return this.#below?.get(part)
  }

  open(part: string): Place {
    const before = this.get(part)
    if (before !== undefined) return before
    const place = new Place()
    ;(this.#below ??= new Map<string, Place>()).set(part, place)
    return place
  }
}

/**
 * What the calls of one segment touch, as a tree of the parts of their resources, split at `/`: to look for a conflict
 * takes as long as the resource is, however many calls there are.
 */
export class Touched {
  readonly #root = new Place()

  /** Whether the call must wait: it writes what another one touches, or reads what another one writes. */
  conflicts({ read, write }: Access): boolean {
    return (
      write.some((resource) => this.#meets(resource, true)) ||
      read.some((resource) => this.#meets(resource, false))
    )
  }

  add({ read, write }: Access): void {
    for (const resource of read) this.#mark(resource, false)
    for (const resource of write) this.#mark(resource, true)
  }

  /** Whether the resource, one above it or one below it is written, or also read where `writes`. */
  #meets(resource: string, writes: boolean): boolean {
    let place = this.#root
    for (const part of partsOf(resource)) {
      const next = place.get(part)
      if (next === undefined) return false
      place = next
      if (place.written || (writes && place.read)) return true
    }
    return place.writtenBelow || (writes && place.readBelow)
  }

  #mark(resource: string, writes: boolean): void {
    let place = this.#root
    for (const part of partsOf(resource)) {
      if (writes) place.writtenBelow = true
      else place.readBelow = true
      place = place.open(part)
    }
    if (writes) place.written = true
    else place.read = true
  }
}

/** A `/` at the end says nothing: `a/` is `a`, and `/` is above all that begin with it. */
function partsOf(resource: string): readonly string[] {
  return (resource.endsWith('/') ? resource.slice(0, -1) : resource).split('/')
}
