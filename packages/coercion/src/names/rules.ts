import type { Provider } from '../types.ts'
import type { NameRule } from './rule.ts'

const common: NameRule = {
  legal: /^[A-Za-z0-9_.-]+$/,
  illegal: /[^A-Za-z0-9_.-]/gu,
  length: 64,
  anyStart: true,
}

/** Gemini's `parameters` takes the smallest set of all: letter or underscore first, no point, no dash. */
const gemini: NameRule = {
  legal: /^[A-Za-z_][A-Za-z0-9_]*$/,
  illegal: /[^A-Za-z0-9_]/gu,
  length: 64,
  anyStart: false,
}

/** No pattern is known for properties: names are shown as they are. */
const free: NameRule = { legal: /^/, illegal: /[^]/gu, length: Infinity, anyStart: true }

/** The property names each provider takes, as of its documentation and quoted refusals in 2026. */
export const nameRules: { readonly [provider in Provider]: NameRule } = {
  openai: free,
  'openai-strict': free,
  anthropic: common,
  gemini,
  bedrock: common,
  mistral: free,
  'llama.cpp': common,
  any: common,
}
