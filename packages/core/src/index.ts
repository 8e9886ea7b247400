export { effectiveId } from './bridge/effective-id.ts'
export { expandToolCalls } from './bridge/expand.ts'
export {
  defineTool,
  type ArgumentsOf,
  type FunctionTool,
  type StandardSchema,
} from './define-tool.ts'
export { tool, toolsOf } from './decorators.ts'
export { createGateway } from './gateway.ts'
export type {
  AdapterHealth,
  Explanation,
  Gateway,
  GatewayOptions,
  ModelTool,
  PolicyOptions,
  RiskAssessment,
  RiskFacts,
} from './options.ts'
export { toolOutput } from './pipeline/invoke.ts'
export { assessRisk } from './policy/risk.ts'
export { memoryAudit, type MemoryAudit } from './ports/audit.ts'
export { memoryStatistics, type ToolStatistics } from './ports/statistics.ts'
export { readTools } from './registry/read-tools.ts'
export { planTurn, type Planned, type Segment } from './turn/plan.ts'
