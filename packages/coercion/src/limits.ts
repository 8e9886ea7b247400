// What keeps any schema and any call within bounded time and memory (R3.7), and what is counted for it.

/**
 * Schemas of more parts, schemas and keywords counted, are broken: their validators take longer to compile than a call
 * may. The largest of some thousand real tools count 2900.
 */
export const PARTS = 5000
/** A reference is a call, for which so many parts count. */
export const REFERENCE_PARTS = 3
/** A look at a pattern takes as long as so many parts. */
export const PATTERN_PARTS = 20
/** Code for unevaluated properties compares with all others: so many names take as long as a part, by their square. */
export const UNEVALUATED_NAMES = 30
/** More names than this are looked at in a loop, and count for nothing. */
export const LOOPED_NAMES = 200
/** Deeper schemas are broken. */
export const SCHEMA_DEPTH = 200
/** Code for one of more branches nests too deeply. Real tools have up to 80. */
export const BRANCHES = 200
/** Every part of a hostile schema may be wrong; nobody reads more than the first few, and each is an error of a call. */
export const NOTES = 50

/** The most states of an automaton: larger patterns are not looked at. */
export const STATES = 130
/** Choices outside loops multiply, as in `a?a?a?aaa`; more ways through a pattern than this are not proved harmless. */
export const WAYS = 10_000
/** What V8 needs for a step of a pattern: 1.5 to 4 ns, 11 for some with `u` on text beyond Latin-1. */
export const STEP_EFFORT = 0.3
/** What a text may cost that a pattern is sure to be run on, and the length of text from which on nobody is told. */
export const PATTERN_EFFORT = 15_000_000
export const NOTED_TEXT = 1_000_000
/** Patterns of which it is known whether they are harmless. */
export const KNOWN_PATTERNS = 2000

/** Compiled schemas that are found again by their text. */
export const KNOWN_SCHEMAS = 10_000
/** ajv keeps everything an instance ever compiled, so an instance is given up after this many schemas. */
export const INSTANCE_SCHEMAS = 200
/** Code that stops at the first fault nests once for every property, which takes long to read and may end the stack. */
export const WIDE = 300
/** An enum of more members is not compared one by one. */
export const COMPARED_MEMBERS = 100

/**
 * What applying a referenced schema costs, beside a part of its length; unions in rings double with every level. It is 8
 * to 17 for a union of all JSON types, and up to 90 where most fails.
 */
export const REFERENCE_EFFORT = 40
/** The most that an explanation may cost, since it keeps every fault it meets. */
export const EXPLANATION_EFFORT = 20_000_000
/** What writing a character of a value as JSON costs. */
export const WRITE_EFFORT = 4
/** What each branch of a union inside another costs an explanation in which it fails. */
export const BRANCH_EFFORT = 200
/**
 * An explanation ends where a union begins after as many errors, so that none is left without its union. Of twice as
 * many faults are made, since folding compares errors with each other.
 */
export const ERRORS = 1000
/** More faults than this in one call are not reported: nobody mends them all at once. */
export const FAULTS = 50
/** The most members that a fault lists. */
export const SHOWN_MEMBERS = 12

/** Generated code loads each field of an object by its name, so objects of more fields get none. */
export const QUICK_NAMES = 50
/** Most nodes of a schema that get code: schemas may be large, and those that lead back to themselves endless. */
export const QUICK_NODES = 100
/** What applies to a property is worked out once for so many of an object. */
export const CHILDREN = 1000
/** How many layers of quotes around JSON text are taken off: `"\"{}\""` is read, more layers are not. */
export const LAYERS = 3
/** Up to this many digits a quotient of the digits and a power of ten is the nearest double. */
export const PLAIN_DIGITS = 15
/** Beyond this many digits BigInt costs more than linear time, so such a number stays text. */
export const BIGINT_DIGITS = 4096
/** What a step of the walk costs. Unions of unions try every branch, so steps are counted. */
export const WALK_STEP = 150
/** What reading a character of a text costs that is no strict JSON. */
export const TEXT_EFFORT = 20
/** What a try to wrap a value costs: envelopes in envelopes are wrapped and opened in many ways. */
export const WRAP_STEP = 50
/** So many coercers keep what they made; of more, those that were used since. */
export const HELD = 1000

/** What one call may cost, in units of about ten nanoseconds; everything it counts is synchronous. */
export const EFFORT = 20_000_000
/** What a value may cost that is too long for that: so much for each character of its JSON, up to a limit. */
export const EFFORT_PER_CHARACTER = 100
export const MOST_EFFORT = 500_000_000
