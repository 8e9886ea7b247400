// What keeps a shown schema, and the time that showing it takes, within bounds (R3.7).

/** What stands in many places is written in each: up to so many characters, and so many for each of the original. */
export const WRITTEN = 100_000
export const WRITTEN_FOR_EACH = 4
/** The least that a part counts for. */
export const WRITTEN_PART = 30
/** The most parts that are united. */
export const UNITED_PARTS = 1000
/** The most references inside references that are written out. */
export const OPEN_REFERENCES = 100
/** Pairs of more branches than this are not compared. */
export const COMPARED_BRANCHES = 50
/** An enum of more values than this has a limit on all their characters. */
export const LONG_ENUM = 250
/** The most characters that a description tells of the entries of a map, or of a keyword that is not taken. */
export const TOLD = 1000
