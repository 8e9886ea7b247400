export { checkSchema } from './check-schema.ts'
export { checkToolSchema } from './check-tool-schema.ts'
export { createCoercer } from './create-coercer.ts'
export { LosslessNumber } from './lossless/number.ts'
export { toPlainJson, type PlainOptions } from './lossless/plain.ts'
export { parseLossless, type ReaderResult as LosslessResult } from './lossless/reader.ts'
export type { LosslessValue } from './lossless/value.ts'
export { stringifyLossless } from './lossless/writer.ts'
export { sanitizeSchema } from './sanitize-schema.ts'
export type { SchemaNote } from './schema/model.ts'
export type { TextFault } from './text/fault.ts'
export { parseArguments } from './text/parse-arguments.ts'
export type {
  Coercer,
  Coercion,
  CoercionOptions,
  CreateCoercer,
  ParseArguments,
  ParsedArguments,
  Provider,
  RegExpEngine,
  SanitizedSchema,
  SanitizeSchema,
  Unrename,
} from './types.ts'
export { unrename } from './unrename.ts'
