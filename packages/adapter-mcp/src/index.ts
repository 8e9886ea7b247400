export type { McpAccess } from './access/access.ts'
export type { McpPrompt, McpPromptMessage } from './access/operations.ts'
export { mcpAdapter, mcpAdapter as adapter, type McpAdapter } from './adapter.ts'
export type {
  ClientCredentialsSettings,
  HttpAuth,
  OAuthSettings,
  ProviderSettings,
} from './auth/settings.ts'
export {
  fileTokenStore,
  memoryTokenStore,
  type Credentials,
  type TokenStore,
} from './auth/token-store.ts'
export type {
  ElicitationAnswer,
  ElicitationHandler,
  ElicitationRequest,
  RootsOption,
  SamplingHandler,
  SamplingRequest,
} from './callbacks/types.ts'
export { serversFromConfig } from './config/from-config.ts'
export type { ReadyClient } from './connect/ready-client.ts'
export type {
  ClientServer,
  HeaderValues,
  HttpServer,
  McpOptions,
  McpServer,
  RestartSettings,
  ServerSettings,
  SocketServer,
  SamplingLimits,
  StdioServer,
  TlsSettings,
  ToolSettings,
} from './options.ts'
export type { LeftOut } from './discover/define-tools.ts'
export { fileToolCache, type CachedTools, type ToolCache } from './discover/tool-cache.ts'
export { filePinStore, type ApprovedTools, type PinStore } from './trust/pin-store.ts'
export type { Approval, PendingTool, PinSettings } from './trust/pins.ts'
export type { McpServerStatus, ServerState } from './servers/status.ts'
