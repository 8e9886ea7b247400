export { httpAdapter, httpAdapter as adapter } from './adapter/adapter.ts'
export type { HttpAdapterOptions, OpenApiDocument } from './adapter/options.ts'
export type { HttpAuth, SecretReference } from './auth/auth.ts'
export {
  loadOpenApi,
  type LoadedOpenApi,
  type OpenApiOptions,
  type OpenApiTool,
} from './document/load.ts'
export { readDocument, type ReadDocument } from './document/read.ts'
export type { OperationFilter } from './document/select.ts'
export type { HttpLimits } from './exchange/limits.ts'
export type { DialTarget, HttpNetwork } from './guard/network.ts'
export type { TargetOptions } from './guard/policy.ts'
export type {
  HttpBackend,
  HttpBody,
  HttpEncoding,
  HttpPagination,
  HttpParameter,
  ParameterPlace,
} from './operation/backend.ts'
export type { NestedArrays, ParameterStyle } from './request/styles.ts'
export type {
  HttpProbe,
  HttpSecurityReport,
  HttpToolFacts,
  HttpToolSecurity,
  HttpWeakness,
} from './check/report.ts'
export { securityCheck } from './check/security-check.ts'
