export { adminTokensSetting, authenticateByTokens } from './admin-tokens.ts';
export { budgetsService, type CatalogBudgetsHandlers } from './budgets-service.ts';
export { connectCatalogAdmin, type CatalogAdminClient } from './catalog-admin-client.ts';
export { connectCatalogBudgets, type CatalogBudgetsClient } from './catalog-budgets-client.ts';
export { connectCatalog, type CatalogClient } from './catalog-client.ts';
export { connectCatalogConsole, type CatalogConsoleClient } from './catalog-console-client.ts';
export {
  assertionKeySetting,
  consoleKeysSetting,
  publicAssertionKey,
  signAssertion,
  verifyAssertion,
  type AssertionKey,
  type ConsoleCaller,
} from './console-assertion.ts';
export {
  CONSOLE_CALLS,
  type ConsoleCall,
  type ConsoleReply,
  type ConsoleReplyInput,
  type ConsoleRequest,
  type ConsoleRequestInput,
} from './console-calls.ts';
export {
  decodeModels,
  encodeModels,
  limitsFromMessage,
  limitsToMessage,
  schedulingFromMessage,
  schedulingToMessage,
} from './messages.ts';
export { connectQuota, type QuotaClient } from './quota-client.ts';
export { RPC_ERROR_CODES, RpcError, type RpcErrorCode } from './rpc-error.ts';
export type { RpcServer } from './rpc-server.ts';
export {
  checkRpcClientSettings,
  checkRpcServerSettings,
  readRpcClientTls,
  rpcClientSettings,
  rpcClientTls,
  rpcServerSettings,
  rpcServerTls,
} from './rpc-settings.ts';
export type { ClientTls, ServerTls } from './rpc-tls.ts';
export { serveCatalogAdmin, type CatalogAdminHandlers } from './serve-catalog-admin.ts';
export type { CatalogConsoleHandlers } from './serve-catalog-console.ts';
export { serveCatalog, type CatalogHandlers } from './serve-catalog.ts';
export { serveQuota, type QuotaHandlers } from './serve-quota.ts';
export { serveUsage, type UsageHandlers } from './serve-usage.ts';
export { connectUsage, type UsageClient } from './usage-client.ts';
export type { AuditRecord } from './generated/sluice/catalog/v1/AuditRecord.ts';
export type { PrincipalInput } from './generated/sluice/catalog/v1/Principal.ts';
export type {
  ReadBudgetsReply,
  ReadBudgetsReplyInput,
} from './generated/sluice/catalog/v1/ReadBudgetsReply.ts';
export type { ResolveCredentialReplyInput } from './generated/sluice/catalog/v1/ResolveCredentialReply.ts';
export type { ResolveCredentialRequest } from './generated/sluice/catalog/v1/ResolveCredentialRequest.ts';
export type { ResourceInput } from './generated/sluice/catalog/v1/Resource.ts';
export type { ExplainReply } from './generated/sluice/usage/v1/ExplainReply.ts';
export type { ListBudgetsReply } from './generated/sluice/usage/v1/ListBudgetsReply.ts';
export type { ListRequestsReply } from './generated/sluice/usage/v1/ListRequestsReply.ts';
export type { ListRequestsRequest } from './generated/sluice/usage/v1/ListRequestsRequest.ts';
export type { SumUsageReply } from './generated/sluice/usage/v1/SumUsageReply.ts';
export type { SumUsageRequest } from './generated/sluice/usage/v1/SumUsageRequest.ts';
