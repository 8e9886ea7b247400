import type { BoundAdapter, ToolDefinition } from '@callgate/spec'

/** One call of a tool of the adapter under test, and what should come of it. */
export interface Fixture {
  /** The tool's name or its id. */
  readonly tool: string
  readonly arguments: { readonly [name: string]: unknown }
  /**
   * What the outcome must hold. For a success, its data, or its text where there is no data; for a failure
   * `{ code, message, rule, started }` of the ToolError or `{ data, text }` of the output. Of an object every key
   * that is named here must fit, other keys may be there; a regular expression fits the texts that it matches;
   * everything else must be equal. Default: it only has to succeed, or to fail.
   */
  readonly expect?: unknown
}

export interface Fixtures {
  /** Succeeds. */
  readonly ok: Fixture
  /** Fails in a way that the tool knows: the adapter gives `isError` or throws a ToolError. */
  readonly fails: Fixture
  /** Takes five seconds or more, if nobody stops it. */
  readonly slow: Fixture
  /** Reports progress at least once. Needed where `capabilities.progress` is claimed. */
  readonly progress?: Fixture
  /** Puts out more than 1 MiB. */
  readonly large?: Fixture
  /** Calls that succeed with different outcomes, for the checks `concurrency` (default: `ok` and `fails` in turn) and `batch`. */
  readonly concurrent?: readonly Fixture[]
}

export interface AdapterSuiteOptions {
  readonly fixtures: Fixtures
  /** Tools that are declared for the adapter, as in files or code, beside those that it discovers. */
  readonly tools?: readonly ToolDefinition[]
  /** What `host.secret` knows. */
  readonly secrets?: { readonly [name: string]: string }
  /** Name of a check to the reason why this adapter need not pass it. */
  readonly skip?: { readonly [check: string]: string }
}

/** The function of a test runner that takes a name and a test. */
export type TestFunction = (name: string, run: () => Promise<void>) => void

export type AdapterSuite = (
  test: TestFunction,
  factory: () => Promise<BoundAdapter>,
  options: AdapterSuiteOptions,
) => void
