export { cliAdapter, cliAdapter as adapter } from './adapter.ts'
export type {
  ArgumentRule,
  CliBackend,
  ExitMeaning,
  Isolation,
  ProcessLimits,
  SandboxOptions,
  SpillOptions,
  TemplateItem,
} from './backend.ts'
export type { CliSecurityReport, Probe, ToolFacts, ToolSecurity, Weakness } from './check/report.ts'
export { securityCheck } from './check/security-check.ts'
export type { IsolatedProgram, Isolator } from './isolate/isolator.ts'
export type { CliOptions, ExecOptions, ExecProgram } from './options.ts'
export type { CliResult } from './output/result.ts'
