export { fileAdapter, fileAdapter as adapter } from './adapter.ts'
export type { FileBackend } from './backend.ts'
export { testPathEscape } from './check/path-escape.ts'
export type {
  FileProbe,
  FileRootFacts,
  FileSecurityReport,
  FileToolFacts,
  FileToolSecurity,
  FileWeakness,
  PathEscapeReport,
  PathVerdict,
} from './check/report.ts'
export { securityCheck } from './check/security-check.ts'
export type { FileLimits, FileOptions, RootOptions } from './options.ts'
export type { EditResult } from './operations/edit.ts'
export type { GlobResult } from './operations/glob.ts'
export type { ListEntry, ListResult } from './operations/list.ts'
export type { OperationName } from './operations/operation.ts'
export type { BinaryResult, ReadResult } from './operations/read.ts'
export type { SearchMatch, SearchResult } from './operations/search.ts'
export type { StatResult } from './operations/stat.ts'
export type { WriteResult } from './operations/write.ts'
