export { cliAdapter, cliAdapter as adapter } from './adapter.ts'
export type {
  ArgumentRule,
  CliBackend,
  Isolation,
  ProcessLimits,
  SandboxOptions,
  TemplateItem,
} from './backend.ts'
export type { CliOptions, ExecOptions, ExecProgram } from './options.ts'
export type { CliResult } from './output/result.ts'
