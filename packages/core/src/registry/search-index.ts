import type { ToolDefinition, ToolId } from '@callgate/spec'

import { tokenize } from './tokenize.ts'

/** BM25 with the usual constants (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009). */
const k1 = 1.5
const b = 0.75
/** A word of the name says more than a word of the description. */
const nameWeight = 3
const parameterWeight = 2
/** What the session used lately counts a quarter more (R6.1). */
const recentWeight = 1.25
/** Tools are alike by so many of the rarest words that they share. */
const similarBy = 8

export interface SearchHit {
  readonly id: ToolId
  readonly score: number
}

interface Document {
  readonly terms: ReadonlyMap<string, number>
  readonly length: number
}

/** An inverted index over names, descriptions and parameters (R1.4). */
export interface SearchIndex {
  put(tool: ToolDefinition, id: ToolId, wireName: string): void
  remove(id: ToolId): void
  /** The best hits among those that `allowed` lets through: an exact name first, and what was `recent` before its like. */
  search(
    query: string,
    limit: number,
    allowed: (id: ToolId) => boolean,
    recent?: ReadonlySet<ToolId>,
  ): readonly SearchHit[]
  /** The tools that share most words with one, rare words counting more; without itself. */
  similar(id: ToolId, limit: number, allowed: (id: ToolId) => boolean): readonly SearchHit[]
}

export function createSearchIndex(): SearchIndex {
  const documents = new Map<ToolId, Document>()
  const postings = new Map<string, Map<ToolId, number>>()
  /** Ids and wire names in small letters; ids may differ in case alone. */
  const names = new Map<string, Set<ToolId>>()
  let totalLength = 0

  function remove(id: ToolId): void {
    const document = documents.get(id)
    if (document === undefined) return
    documents.delete(id)
    totalLength -= document.length
    for (const term of document.terms.keys()) {
      const posting = postings.get(term)
      posting?.delete(id)
      if (posting?.size === 0) postings.delete(term)
    }
    for (const [name, ids] of names) if (ids.delete(id) && ids.size === 0) names.delete(name)
  }

  return {
    put(tool, id, wireName) {
      remove(id)
      const document = describe(tool, id)
      documents.set(id, document)
      for (const name of [id, wireName]) addName(names, name.toLowerCase(), id)
      totalLength += document.length
      for (const [term, weight] of document.terms) {
        let posting = postings.get(term)
        if (posting === undefined) postings.set(term, (posting = new Map()))
        posting.set(id, weight)
      }
    },
    remove,
    search(query, limit, allowed, recent) {
      const terms = [...new Set(tokenize(query))].filter((term) => postings.has(term))
      const scores = score(terms, documents, postings, totalLength / Math.max(1, documents.size))
      const asked = query.trim()
      for (const id of recent ?? []) {
        const found = scores.get(id)
        if (found !== undefined) scores.set(id, found * recentWeight)
      }
      for (const id of names.get(asked.toLowerCase()) ?? []) {
        scores.set(id, id === asked ? Infinity : Number.MAX_SAFE_INTEGER - 1)
      }
      return best(scores, limit, allowed)
    },
    similar(id, limit, allowed) {
      const terms = [...(documents.get(id)?.terms.keys() ?? [])]
        .filter((term) => postings.get(term)!.size > 1)
        .toSorted((x, y) => postings.get(x)!.size - postings.get(y)!.size)
        .slice(0, similarBy)
      const scores = new Map<ToolId, number>()
      for (const term of terms) {
        const posting = postings.get(term)!
        const rarity = idf(documents.size, posting.size)
        for (const other of posting.keys()) scores.set(other, (scores.get(other) ?? 0) + rarity)
      }
      scores.delete(id)
      return best(scores, limit, allowed)
    },
  }
}

function addName(names: Map<string, Set<ToolId>>, name: string, id: ToolId): void {
  names.set(name, (names.get(name) ?? new Set()).add(id))
}

function describe(tool: ToolDefinition, id: ToolId): Document {
  const terms = new Map<string, number>()
  let length = 0
  const add = (text: string, weight: number): void => {
    for (const term of tokenize(text)) {
      terms.set(term, (terms.get(term) ?? 0) + weight)
      length++
    }
  }
  add(id, nameWeight)
  add(tool.description, 1)
  const { parameters } = tool
  const properties = typeof parameters === 'object' ? parameters['properties'] : undefined
  if (typeof properties === 'object' && properties !== null) {
    for (const [name, schema] of Object.entries(properties)) {
      add(name, parameterWeight)
      const text: unknown = (schema as { description?: unknown } | null)?.description
      if (typeof text === 'string') add(text, 1)
    }
  }
  return { terms, length }
}

/** A document must hold the rarest term, and half of the terms where there are four or more. */
function score(
  terms: readonly string[],
  documents: ReadonlyMap<ToolId, Document>,
  postings: ReadonlyMap<string, ReadonlyMap<ToolId, number>>,
  averageLength: number,
): Map<ToolId, number> {
  const byRarity = terms.toSorted((x, y) => postings.get(x)!.size - postings.get(y)!.size)
  const scores = new Map<ToolId, number>()
  const rarest = byRarity[0]
  if (rarest === undefined) return scores
  const needed = byRarity.length >= 4 ? Math.ceil(byRarity.length / 2) : 1
  const matched = new Map<ToolId, number>()
  for (const id of postings.get(rarest)!.keys()) {
    scores.set(id, 0)
    matched.set(id, 0)
  }
  for (const term of byRarity) {
    const posting = postings.get(term)!
    const rarity = idf(documents.size, posting.size)
    for (const id of scores.keys()) {
      const frequency = posting.get(id)
      if (frequency === undefined) continue
      const norm = 1 - b + (b * documents.get(id)!.length) / averageLength
      scores.set(id, scores.get(id)! + (rarity * frequency * (k1 + 1)) / (frequency + k1 * norm))
      matched.set(id, matched.get(id)! + 1)
    }
  }
  for (const [id, count] of matched) if (count < needed) scores.delete(id)
  return scores
}

function idf(documents: number, holders: number): number {
  return Math.log(1 + (documents - holders + 0.5) / (holders + 0.5))
}

function best(
  scores: ReadonlyMap<ToolId, number>,
  limit: number,
  allowed: (id: ToolId) => boolean,
): readonly SearchHit[] {
  return [...scores]
    .filter(([id]) => allowed(id))
    .map(([id, value]) => ({ id, score: value === Infinity ? Number.MAX_SAFE_INTEGER : value }))
    .toSorted((x, y) => y.score - x.score || (x.id < y.id ? -1 : 1))
    .slice(0, limit)
}
