import type { OpenApiOptions } from '../document/load.ts'
import type { HttpLimits } from '../exchange/limits.ts'
import type { HttpNetwork } from '../guard/network.ts'
import type { TargetOptions } from '../guard/policy.ts'

/** One OpenAPI document whose operations become tools in the namespace `http::<name>`. */
export interface OpenApiDocument extends OpenApiOptions, TargetOptions {
  /**
   * A file (JSON or YAML), its address (http or https), or the document already parsed. An address is reached under the
   * rules for targets, without credentials.
   */
  readonly document: string | object
  /** Read files below the document's folder that it refers to; default false. What it refers to is never fetched. */
  readonly externalFiles?: boolean
}

/** Options of the HTTP adapter. Those of {@link TargetOptions} hold for every tool; documents and tools may say otherwise. */
export interface HttpAdapterOptions extends TargetOptions {
  readonly documents?: readonly OpenApiDocument[]
  readonly limits?: HttpLimits
  /** How names are resolved and connections opened; default: the system's. */
  readonly network?: HttpNetwork
}
