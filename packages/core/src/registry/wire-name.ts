import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

const maxLength = 64
const localPrefix = 'local::'

/**
 * The name that a provider and the model see for a tool id (design section 2): letters, digits and `_`, at most
 * 64, starting with a letter or `_`. A name that had to be changed ends in a hash of the id, so that two ids never
 * meet in one name and the same id always gets the same name.
 */
export function plainWireName(id: string): string {
  const joined = (id.startsWith(localPrefix) ? id.slice(localPrefix.length) : id).replaceAll(
    '::',
    '__',
  )
  const clean = joined.replaceAll(/[^a-zA-Z0-9_]/gu, '_')
  const legal = /^[a-zA-Z_]/.test(clean) ? clean : `_${clean}`
  return legal === joined && legal.length <= maxLength ? legal : distinctWireName(legal, id)
}

/**
 * The name with a hash of the id: also for an id whose plain name is taken; `salted` is the id, and more where that one is
 * taken too.
 */
export function distinctWireName(name: string, salted: string): string {
  const suffix = `_${bytesToHex(sha256(utf8ToBytes(salted))).slice(0, 8)}`
  return name.slice(0, maxLength - suffix.length) + suffix
}

/** What a client may make of a name: two names that fold alike must not both be shown. */
export function foldWireName(name: string): string {
  return name.toLowerCase()
}
