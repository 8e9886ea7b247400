/**
 * Why a text could not be read as arguments. `position` counts UTF-16 units from 0, in what was tried last: the text
 * without white space around it, or what stands inside its fence or its quotes.
 */
export interface TextFault {
  readonly kind: 'truncated' | 'not_json' | 'not_object' | 'too_deep' | 'too_large'
  readonly message: string
  readonly position?: number
}

/** The deepest nesting that is read; deeper text is refused or stays text. */
export const DEPTH_LIMIT = 200

/** The longest text that is read, in UTF-16 units: 16 Mi. */
export const SIZE_LIMIT = 16_777_216
