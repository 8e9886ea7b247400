import { shown } from '../json.ts'
import { isLaid, laidNames, lostBeside, objectsOf, ownNames } from '../names/lists.ts'
import { renamedNames } from '../names/rename.ts'
import { bitOf, typeBits } from '../plan/types.ts'
import { keywords } from '../schema/keywords.ts'
import {
  definitionOf,
  membersOf,
  type LoadedObject,
  type LoadedSchema,
  type TypeName,
} from '../schema/model.ts'
import { noteNameRules, showKeywords } from './keywords.ts'
import { OPEN_REFERENCES, UNITED_PARTS, WRITTEN_PART } from './limits.ts'
import { mergeAll } from './merge.ts'
import { note, visitParts, wordsOf } from './place.ts'
import { asText, type Showing, type Shown } from './showing.ts'

/** Writes one schema as the provider takes it; what is left out is noted. */
export function show(showing: Showing, schema: LoadedSchema): Shown {
  showing.budget.left -= WRITTEN_PART
  if (showing.budget.left < 0) return asText(showing, 'too large')
  const said = wordsOf(schema)
  // Some refuse a default beside a reference, some refuse anything.
  const { $ref, default: _default, ...beside } = said
  const { description } = beside
  const isAgain = $ref && showing.open.has($ref)
  if (isLaid(showing, said) && !(isAgain && showing.profile.refAlone)) {
    if (isAgain) {
      return asText(showing, 'recursion', description, ' of the same again')
    }
    const open = new Set(showing.open)
    return showTypes({ ...showing, open }, mergeParts(showing, said, open))
  }
  if (!$ref) return showTypes(showing, said)
  showing.referred.add($ref)
  if (!showing.profile.refAlone) {
    // A definition that is only referred to is looked at for itself.
    const whole = Object.keys(beside).length > 0 ? said : beside
    return { ...showTypes(showing, beside, whole), $ref }
  }
  for (const keyword of lostBeside(showing, said)) note(showing, keyword)
  return description ? { anyOf: [{ $ref }], description } : { $ref }
}

/** The names, own to shown, of the fields of a value, of which all parts of its schema that are about it may speak. */
function namesOf(showing: Showing, schema: LoadedObject): NonNullable<Showing['names']> {
  const lists: (readonly string[])[] = []
  const sources = new Set<LoadedSchema>([schema])
  const at = { ...showing, names: new Map() }
  // A set that grows while it is walked is walked to its end.
  for (const source of sources) {
    const part = wordsOf(source)
    const isWhole = isLaid(showing, part)
    lists.push(laidNames(isWhole ? objectsOf(showing, part) : [part]))
    if (isWhole) continue
    if (part.$ref) {
      const target = definitionOf(showing, part.$ref)
      // It is shown without what stands beside the reference, but may require it.
      const { properties = {}, required = [] } = wordsOf(target)
      lists.push([...Object.keys(properties), ...required])
      sources.add(target)
    }
    for (const [keyword, value] of Object.entries(part)) {
      visitParts(
        at,
        keyword,
        value,
        ({ names }, other: LoadedSchema) => names && sources.add(other),
      )
    }
  }
  noteTwins(showing, [...sources].map(wordsOf), ownNames(showing, lists))
  return new Map(lists.flatMap((list) => [...renamedNames(list, showing.profile.names)]))
}

/**
 * Notes, where parts of one schema stay apart, the names that stand for two fields, and rules about names beside a field
 * that is shown under another name.
 */
function noteTwins(
  showing: Showing,
  parts: readonly LoadedObject[],
  renamed: ReadonlyMap<string, string | null>,
): void {
  // What is only required is a field, too.
  const required = new Set(parts.flatMap((part) => part.required ?? []))
  for (const [name, own] of renamed) {
    if (own === null || required.has(name)) note(showing, `two fields named ${shown(name)}`)
  }
  for (const part of renamed.size > 0 ? parts : []) {
    // Beside fields of their own they are noted there.
    if (!part.properties) noteNameRules(showing, part)
  }
}

/**
 * A schema whose references and allOf are written out. Into `open` come the references that are open from now on: one
 * that is met inside itself ends there.
 */
export function mergeParts(
  showing: Showing,
  schema: LoadedSchema,
  open: Set<string> = new Set(),
): LoadedObject {
  const objects: LoadedObject[] = []
  const pending = new Set([schema])
  // A set that grows while it is walked is walked to its end.
  for (const part of pending) {
    const { $ref, allOf = [], ...own } = wordsOf(part)
    if (objects.push(own) > UNITED_PARTS) break
    if ($ref) {
      if (showing.open.has($ref) || open.size >= OPEN_REFERENCES) note(showing, 'recursion')
      else {
        open.add($ref)
        pending.add(definitionOf(showing, $ref))
      }
    }
    for (const other of allOf) pending.add(other)
  }
  return mergeAll(showing, objects)
}

/**
 * Writes a schema without its reference, which `whole` may have: null and several types as the provider says them, then
 * the keywords.
 */
function showTypes(showing: Showing, untyped: LoadedObject, whole: LoadedObject = untyped): Shown {
  const { nullable, typed, oneType, closed, unionApart } = showing.profile
  const type = untyped.type ?? (typed ? impliedTypes(showing, untyped) : undefined)
  const schema = type ? { type, ...untyped } : untyped
  const bare = nullable && withoutNull(schema, typed)
  if (bare) return { ...show(showing, bare), nullable: true }
  const names = showing.names ?? namesOf(showing, whole)
  const split = oneType ? splitTypes(schema) : schema
  return showKeywords({ ...showing, names }, (closed ?? unionApart) ? spread(split) : split)
}

/**
 * The types of the values that are listed, or that other words are about, as in a branch. Where nothing is known, lists
 * and objects are left out.
 */
function impliedTypes(showing: Showing, schema: LoadedObject): TypeName[] | undefined {
  const { properties, required = properties, items } = schema
  const types = membersOf(schema)?.map(
    (member) => [...typeBits].find(([, bits]) => bits & bitOf(member))?.[0],
  )
  if (types) return [...new Set(types as TypeName[])]
  if (!(required ?? items) && schema[unionIn(schema)]) return undefined
  note(showing, 'any type')
  if (required) return ['object']
  return items === undefined ? ['string', 'number', 'boolean', 'null'] : ['array']
}

function unionIn(schema: LoadedObject): 'anyOf' | 'oneOf' {
  return schema.oneOf ? 'oneOf' : 'anyOf'
}

/** The schema without its null; undefined where it takes none, or where only a union can say it. */
function withoutNull(schema: LoadedObject, typed: boolean | undefined): LoadedSchema | undefined {
  const kind = unionIn(schema)
  const { [kind]: union = [], ...rest } = schema
  const others = union.filter((branch) => String(wordsOf(branch).type) !== 'null')
  if (others.length < union.length && !Object.keys(rest).some((word) => keywords.has(word))) {
    if (others.length === 1) return { ...wordsOf(others[0]), ...rest }
    // A longer union keeps its null where there is a type null.
    if (typed && others.length > 0) return { ...rest, [kind]: others }
  }
  const { type = [], enum: members } = schema
  const types = type.filter((name) => name !== 'null')
  if (types.length === type.length) return undefined
  if (types.length === 0) return typed ? true : undefined
  const values = members && { enum: members.filter((member) => member !== null) }
  return { ...schema, type: types, ...values }
}

/** The keywords that say something about values of one type, and nothing about others. */
const wordsOfTypes: { readonly [type: string]: RegExp } = {
  string: /^pattern$|^format|Length/,
  number: /imum$|^mult|^format/,
  array: /tems$|ontains/,
  object: /ropert|^req|^dep/,
}

/** Whether a keyword says something about values of a type. */
function isAbout(keyword: string, name: TypeName): boolean {
  const types = Object.keys(wordsOfTypes).filter((type) => wordsOfTypes[type]?.test(keyword))
  return types.length === 0 || types.includes(name.replace('integer', 'number'))
}

/**
 * Several types as a union; what is said about values goes with each type, which keeps what is about it. A union that is
 * there gets the types.
 */
function splitTypes(schema: LoadedObject): LoadedObject {
  const kind = unionIn(schema)
  const { type = [], [kind]: union, ...rest } = schema
  const [first, ...more] = type
  if (!first) return schema
  if (more.length === 0) {
    const own = Object.entries(schema).filter(([keyword]) => isAbout(keyword, first))
    return Object.fromEntries(own)
  }
  const [facts, words] = apart(rest)
  const branches = (union ?? [facts]).flatMap((branch) => {
    const said = wordsOf(branch)
    // What says its own type keeps it.
    return (said.type ?? said.$ref) ? [said] : type.map((name) => ({ type: [name], ...said }))
  })
  return { ...(union ? rest : words), [kind]: branches }
}

/** What is said about values beside a union goes into its branches. */
function spread(schema: LoadedObject): LoadedObject {
  const kind = unionIn(schema)
  const { [kind]: union, ...rest } = schema
  if (!union) return schema
  const [facts, words] = apart(rest)
  const isTyped = Object.keys(facts).every((keyword) => keyword === 'type')
  const branches = union.map((branch) =>
    // A definition says its own type.
    isTyped && wordsOf(branch).$ref ? branch : { allOf: [facts, branch] },
  )
  return { ...words, [kind]: branches }
}

/** What is said about values, and the rest. */
function apart(schema: LoadedObject): readonly [facts: LoadedObject, words: LoadedObject] {
  const facts: LoadedObject = {}
  const words: LoadedObject = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (keywords.has(keyword) || keyword === 'format') facts[keyword] = value
    else words[keyword] = value
  }
  return [facts, words]
}
