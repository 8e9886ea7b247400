export type { McpAccess, McpPromptMessage } from './access.ts'
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
  StdioServer,
  TlsSettings,
} from './options.ts'
export { fileToolCache, type CachedTools, type ToolCache } from './discover/tool-cache.ts'
export { filePinStore, type ApprovedTools, type PinStore } from './trust/pin-store.ts'
export type { PendingTool, PinSettings } from './trust/pins.ts'
