import { CallgateError, InvalidOptionsError } from '@callgate/spec'

import { named } from '../provider-fault.ts'
import { describe } from '../read/shape-fault.ts'
import { asText } from './effective-id.ts'
import { inForm, isIdForm, type IdForm } from './forms.ts'

/**
 * Call ids as one provider wants them, and back (R2.3). One map belongs to one conversation.
 *
 * Ids are text, as results carry them. A number is its text, as wherever a call is read: 7 and '7' are one id. Both
 * functions refuse anything else with a CallgateError, code `malformed_call`, rule `call-id`.
 */
export interface IdMap {
  readonly form: IdForm
  /** The provider's id for one of ours: itself where it fits. The same id gives the same answer, always. */
  toProvider(id: string): string
  /** Our id for one of the provider's. An id that this map never gave out is the provider's own and stays. */
  fromProvider(id: string): string
}

/**
 * Makes the id map of one conversation (R2.3).
 *
 * Takes the form that ids must have: a provider, or `'mistral'` for nine letters and digits in OpenAI chat
 * messages. Hand the map to {@link writeTurn} and {@link writeResults}. The mapping depends on the id alone,
 * but for two ids that would meet: the later one gets another. So a map can be made anew for a stored
 * conversation by writing its turns again in their order.
 *
 * @throws InvalidOptionsError for a form that is not known.
 */
export function createIdMap(form: IdForm): IdMap {
  if (!isIdForm(form)) {
    throw new InvalidOptionsError({
      rule: 'id-form',
      where: 'form',
      message: `There is no id form ${named(form)}.`,
      hint: 'Use openai-chat, openai-responses, anthropic, bedrock or mistral.',
    })
  }
  const theirs = new Map<string, string>()
  const ours = new Map<string, string>()
  return {
    form,
    toProvider(given) {
      const id = checkedId(given)
      const known = theirs.get(id)
      if (known !== undefined) return known
      let made = inForm(id, form, 0)
      for (let salt = 1; ours.has(made); salt++) made = inForm(id, form, salt)
      theirs.set(id, made)
      ours.set(made, id)
      return made
    },
    fromProvider(given) {
      const id = checkedId(given)
      return ours.get(id) ?? id
    },
  }
}

/** What comes from a provider no compiler has seen; an id that is none would pair with nothing. */
function checkedId(given: unknown): string {
  const id = asText(given)
  if (id !== undefined) return id
  throw new CallgateError({
    code: 'malformed_call',
    rule: 'call-id',
    where: 'id',
    message: `The id of a call is ${describe(given)}; expected text.`,
    hint: 'Give the id of a call, or the callId of a result.',
  })
}
