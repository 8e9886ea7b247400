export type {
  AdapterCall,
  AdapterDefinition,
  AdapterHost,
  AdapterInstance,
  AdapterOutput,
  BoundAdapter,
  DefineAdapter,
  InvokeContext,
  Logger,
} from './adapter.ts'
export type { AssistantTurn, CallContext, ContentPart, Progress, ToolCallIn } from './call.ts'
export { defineAdapter, isBoundAdapter, requireOptions } from './define-adapter.ts'
export { describeFault, type DescribedFault } from './describe-fault.ts'
export { errorCodes, type ErrorCode, type ErrorCodeEntry } from './error-codes.ts'
export {
  CallgateError,
  InvalidOptionsError,
  InvalidToolError,
  ToolError,
  type CallgateErrorInit,
  type ToolErrorInit,
  type ToolFault,
} from './errors.ts'
export type { CallgateEvents, CallPayload, GateReturn, TransformReturn } from './events.ts'
export type {
  ApprovalDecision,
  ApprovalGrant,
  ApprovalRequest,
  Ports,
  StoredContext,
} from './ports.ts'
export type { FieldFault, Repair, StepName, ToolResult } from './result.ts'
export { toolFaults, type ToolFaults } from './tool-faults.ts'
export type { JsonPointer, JsonSchema, ToolDefinition, ToolEffects, ToolId } from './tool.ts'
