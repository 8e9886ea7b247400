import { digestOf } from './canonical.ts'
import { shortened } from './cut-text.ts'

/** An id in at most about so many characters: of two long ones that begin alike, each comes out as another. */
export function shortId(id: string, most: number): string {
  return id.length > most ? `${shortened(id, most)}${digestOf(id)}` : id
}
