import { readFile } from 'node:fs/promises'

import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Document } from 'yaml'

/** What a YAML or JSON file holds. */
export interface LocatedValue {
  readonly value: unknown
  /**
   * `file:line:column` of a JSON Pointer in the file, or of a key there; lines and columns from 1. Of what the file does
   * not hold, the place of what it would stand in.
   */
  locate(pointer: string, key?: string): string
}

/** Makes the error of a file from where the fault is and what it is. */
export type Refusal = (where: string, why: string, hint?: string) => Error

/** Reads a file that may hold anything; throws what `refusal` makes where it is no YAML, or one that grows without end. */
export async function readYaml(path: string, refusal: Refusal): Promise<LocatedValue> {
  const lines = new LineCounter()
  const document = parseDocument(await readText(path, refusal), { lineCounter: lines })
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${path}:${line}:${col}`
  }
  const [fault] = document.errors
  if (fault !== undefined) {
    const [what = ''] = fault.message.split('\n')
    const bare = what.replace(/ at line \d+, column \d+:?$/, '').replace(/\.$/, '')
    throw refusal(at(fault.pos[0]), `it is not YAML or JSON: ${bare}`)
  }
  return {
    value: valueOf(document, path, refusal),
    locate(pointer, key) {
      const offset = offsetOf(document, pointer, key)
      return offset === undefined ? path : at(offset)
    },
  }
}

/** Aliases that stand for aliases can make a small file a huge value. */
function valueOf(document: Document, path: string, refusal: Refusal): unknown {
  try {
    return document.toJS() as unknown
  } catch (cause) {
    throw refusal(path, `its aliases cannot be followed: ${(cause as Error).message}`)
  }
}

function offsetOf(document: Document, pointer: string, key?: string): number | undefined {
  const keys = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const node = keys.reduce(childOf, document.contents as unknown) as
    | { range?: readonly number[] }
    | undefined
  if (key !== undefined && isMap(node)) {
    const pair = node.items.find((item) => isScalar(item.key) && item.key.value === key)
    if (isScalar(pair?.key)) return pair.key.range?.[0]
  }
  if (node?.range !== undefined || keys.length === 0) return node?.range?.[0]
  return offsetOf(document, pointer.slice(0, pointer.lastIndexOf('/')))
}

/** A name of digits alone is a place in a list, but a name in a map, in quotes or not. */
function childOf(parent: unknown, key: string): unknown {
  if (isSeq(parent)) return parent.get(Number(key), true)
  if (!isMap(parent)) return undefined
  return parent.items.find((item) => isScalar(item.key) && String(item.key.value) === key)?.value
}

async function readText(path: string, refusal: Refusal): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw refusal(path, `it cannot be read: ${(cause as Error).message}`)
  }
}
