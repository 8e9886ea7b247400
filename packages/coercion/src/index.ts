export { stringifyLossless } from './lossless/writer.ts'
export { parseLossless, type ReaderResult as LosslessResult } from './lossless/reader.ts'
export { parseArguments } from './text/parse-arguments.ts'
export { toPlainJson, type PlainOptions } from './lossless/plain.ts'
export { LosslessNumber } from './lossless/number.ts'
export type { LosslessValue } from './lossless/value.ts'
export { createCoercer } from './create-coercer.ts'
export { unrename } from './unrename.ts'
export { checkToolSchema } from './check-tool-schema.ts'
export { checkSchema } from './check-schema.ts'
export { sanitizeSchema } from './sanitize-schema.ts'
export type { SchemaNote } from './schema/model.ts'
export type { TextFault } from './text/fault.ts'
export type {
  Coercer,
  Coercion,
  CoercionOptions,
  CreateCoercer,
  ParseArguments,
  ParsedArguments,
  ParseOptions,
  Provider,
  RegExpEngine,
  SanitizedSchema,
  SanitizeSchema,
  TextCoercion,
  Unrename,
} from './types.ts'
