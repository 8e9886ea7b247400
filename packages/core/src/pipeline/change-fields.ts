/** What a slip in a name was to change would stay as it was. @throws TypeError for a field that the change cannot have. */
export function checkFields(change: object, ...fields: readonly string[]): void {
  for (const field of Object.keys(change)) {
    if (field !== 'action' && !fields.includes(field)) {
      throw new TypeError(`modify.${field} is none of ${fields.join(', ')}`)
    }
  }
}
