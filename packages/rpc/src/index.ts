export {
  connectCatalogAdmin,
  type CatalogAdminClient,
  type CatalogAdminClientOptions,
} from './catalog-admin-client.ts';
export { connectCatalog, type CatalogClient, type CatalogClientOptions } from './catalog-client.ts';
export { limitsFromMessage, limitsToMessage, type LimitsMessage } from './limit-messages.ts';
export {
  connectQuota,
  type QuotaClient,
  type QuotaClientOptions,
  type QuotaClientState,
} from './quota-client.ts';
export type { ConnectionState, ConnectionStates } from './replica-set.ts';
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
  type RpcClientSettings,
  type RpcServerSettings,
} from './rpc-settings.ts';
export type { ClientTls, Identity, ServerTls } from './rpc-tls.ts';
export {
  serveCatalogAdmin,
  type AdminCallContext,
  type CatalogAdminHandlers,
  type CatalogAdminServerOptions,
} from './serve-catalog-admin.ts';
export { serveCatalog, type CatalogHandlers, type CatalogServerOptions } from './serve-catalog.ts';
export { serveQuota, type QuotaHandlers, type QuotaServerOptions } from './serve-quota.ts';
export type { CallContext } from './unary-handler.ts';
export type { AuditRecord, AuditRecordInput } from './generated/sluice/catalog/v1/AuditRecord.ts';
export type { CreateApiKeyReply } from './generated/sluice/catalog/v1/CreateApiKeyReply.ts';
export type {
  CreateApiKeyRequest,
  CreateApiKeyRequestInput,
} from './generated/sluice/catalog/v1/CreateApiKeyRequest.ts';
export type { CredentialKind } from './generated/sluice/catalog/v1/CredentialKind.ts';
export type { ListModelsReply } from './generated/sluice/catalog/v1/ListModelsReply.ts';
export type { ListModelsReplyInput } from './generated/sluice/catalog/v1/ListModelsReply.ts';
export type { ListModelsRequestInput } from './generated/sluice/catalog/v1/ListModelsRequest.ts';
export type { ListResourcesReply } from './generated/sluice/catalog/v1/ListResourcesReply.ts';
export type { Model, ModelInput } from './generated/sluice/catalog/v1/Model.ts';
export type { Principal, PrincipalInput } from './generated/sluice/catalog/v1/Principal.ts';
export type {
  ResolveCredentialReply,
  ResolveCredentialReplyInput,
} from './generated/sluice/catalog/v1/ResolveCredentialReply.ts';
export type {
  ResolveCredentialRequest,
  ResolveCredentialRequestInput,
} from './generated/sluice/catalog/v1/ResolveCredentialRequest.ts';
export type { Resource, ResourceInput } from './generated/sluice/catalog/v1/Resource.ts';
export type {
  ResourceReference,
  ResourceReferenceInput,
} from './generated/sluice/catalog/v1/ResourceReference.ts';
export type {
  StorePosition,
  StorePositionInput,
} from './generated/sluice/catalog/v1/StorePosition.ts';
