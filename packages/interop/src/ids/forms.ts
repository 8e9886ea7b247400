import type { Provider } from '../provider.ts'
import { hash64 } from './hash.ts'

/** Whose rule for call ids applies. Mistral speaks the messages of OpenAI chat and has a rule of its own. */
export type IdForm = Provider | 'mistral'

interface FormRule {
  readonly fits: RegExp
  /** An id that fits, made from one that does not. */
  make(id: string, hash: bigint): string
}

const wordLike = /[^a-zA-Z0-9_-]/g

function readable(limit: number): FormRule['make'] {
  return (id, hash) => {
    const digits = hash.toString(16).padStart(16, '0').slice(0, 12)
    return `${id.replace(wordLike, '_').slice(0, limit - 13)}_${digits}`
  }
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function nineLetters(_id: string, hash: bigint): string {
  let rest = hash
  let text = ''
  for (let index = 0; index < 9; index++) {
    text += alphabet[Number(rest % 62n)]!
    rest /= 62n
  }
  return text
}

/**
 * What each provider takes as the id of a call. The patterns of Anthropic and Bedrock are those of their API
 * references; OpenAI says nothing but refuses more than 40 characters (chat) and 64 (responses) with
 * `string_above_max_length`; Mistral refuses everything but nine letters and digits.
 */
const rules: { readonly [Form in IdForm]: FormRule } = {
  'openai-chat': { fits: /^[^]{1,40}$/, make: readable(40) },
  'openai-responses': { fits: /^[^]{1,64}$/, make: readable(64) },
  anthropic: { fits: /^[a-zA-Z0-9_-]+$/, make: readable(64) },
  bedrock: { fits: /^[a-zA-Z0-9_-]{1,64}$/, make: readable(64) },
  mistral: { fits: /^[a-zA-Z0-9]{9}$/, make: nineLetters },
}

export function isIdForm(form: unknown): form is IdForm {
  return typeof form === 'string' && Object.hasOwn(rules, form)
}

/** The id itself if it fits; else one made from it. `salt` above 0 gives others, for an id that is taken. */
export function inForm(id: string, form: IdForm, salt: number): string {
  const rule = rules[form]
  if (salt === 0 && rule.fits.test(id)) return id
  return rule.make(id, hash64(salt === 0 ? id : `${id}\n${salt}`))
}
