import { InvalidOptionsError } from '@callgate/spec'

import { named } from '../provider-fault.ts'
import { inForm, isIdForm, type IdForm } from './forms.ts'

/** Call ids as one provider wants them, and back (R2.3). One map belongs to one conversation. */
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
    toProvider(id) {
      const known = theirs.get(id)
      if (known !== undefined) return known
      let given = inForm(id, form, 0)
      for (let salt = 1; ours.has(given); salt++) given = inForm(id, form, salt)
      theirs.set(id, given)
      ours.set(given, id)
      return given
    },
    fromProvider: (id) => ours.get(id) ?? id,
  }
}
