// Original file: proto/catalog/v1/catalog.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CreateApiKeyReplyInput as _sluice_catalog_v1_CreateApiKeyReplyInput, CreateApiKeyReply as _sluice_catalog_v1_CreateApiKeyReply } from '../../../sluice/catalog/v1/CreateApiKeyReply.ts';
import type { CreateApiKeyRequestInput as _sluice_catalog_v1_CreateApiKeyRequestInput, CreateApiKeyRequest as _sluice_catalog_v1_CreateApiKeyRequest } from '../../../sluice/catalog/v1/CreateApiKeyRequest.ts';
import type { CreateSignInLinkReplyInput as _sluice_catalog_v1_CreateSignInLinkReplyInput, CreateSignInLinkReply as _sluice_catalog_v1_CreateSignInLinkReply } from '../../../sluice/catalog/v1/CreateSignInLinkReply.ts';
import type { CreateSignInLinkRequestInput as _sluice_catalog_v1_CreateSignInLinkRequestInput, CreateSignInLinkRequest as _sluice_catalog_v1_CreateSignInLinkRequest } from '../../../sluice/catalog/v1/CreateSignInLinkRequest.ts';
import type { DeletedInput as _sluice_catalog_v1_DeletedInput, Deleted as _sluice_catalog_v1_Deleted } from '../../../sluice/catalog/v1/Deleted.ts';
import type { IssuePlaygroundTokenReplyInput as _sluice_catalog_v1_IssuePlaygroundTokenReplyInput, IssuePlaygroundTokenReply as _sluice_catalog_v1_IssuePlaygroundTokenReply } from '../../../sluice/catalog/v1/IssuePlaygroundTokenReply.ts';
import type { IssuePlaygroundTokenRequestInput as _sluice_catalog_v1_IssuePlaygroundTokenRequestInput, IssuePlaygroundTokenRequest as _sluice_catalog_v1_IssuePlaygroundTokenRequest } from '../../../sluice/catalog/v1/IssuePlaygroundTokenRequest.ts';
import type { ListAuditReplyInput as _sluice_catalog_v1_ListAuditReplyInput, ListAuditReply as _sluice_catalog_v1_ListAuditReply } from '../../../sluice/catalog/v1/ListAuditReply.ts';
import type { ListAuditRequestInput as _sluice_catalog_v1_ListAuditRequestInput, ListAuditRequest as _sluice_catalog_v1_ListAuditRequest } from '../../../sluice/catalog/v1/ListAuditRequest.ts';
import type { ListResourcesReplyInput as _sluice_catalog_v1_ListResourcesReplyInput, ListResourcesReply as _sluice_catalog_v1_ListResourcesReply } from '../../../sluice/catalog/v1/ListResourcesReply.ts';
import type { ListResourcesRequestInput as _sluice_catalog_v1_ListResourcesRequestInput, ListResourcesRequest as _sluice_catalog_v1_ListResourcesRequest } from '../../../sluice/catalog/v1/ListResourcesRequest.ts';
import type { ResourceInput as _sluice_catalog_v1_ResourceInput, Resource as _sluice_catalog_v1_Resource } from '../../../sluice/catalog/v1/Resource.ts';
import type { ResourceReferenceInput as _sluice_catalog_v1_ResourceReferenceInput, ResourceReference as _sluice_catalog_v1_ResourceReference } from '../../../sluice/catalog/v1/ResourceReference.ts';
import type { RevokeApiKeyRequestInput as _sluice_catalog_v1_RevokeApiKeyRequestInput, RevokeApiKeyRequest as _sluice_catalog_v1_RevokeApiKeyRequest } from '../../../sluice/catalog/v1/RevokeApiKeyRequest.ts';

/**
 * Changes the content of the catalog. Listens on a separate port and requires a
 * named admin token. Its name is recorded as the author of every change.
 */
export interface CatalogAdminClient extends grpc.Client {
  CreateApiKey(argument: _sluice_catalog_v1_CreateApiKeyRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_CreateApiKeyReply>): grpc.ClientUnaryCall;
  CreateApiKey(argument: _sluice_catalog_v1_CreateApiKeyRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_CreateApiKeyReply>): grpc.ClientUnaryCall;
  CreateApiKey(argument: _sluice_catalog_v1_CreateApiKeyRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_CreateApiKeyReply>): grpc.ClientUnaryCall;
  CreateApiKey(argument: _sluice_catalog_v1_CreateApiKeyRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_CreateApiKeyReply>): grpc.ClientUnaryCall;
  createApiKey(argument: _sluice_catalog_v1_CreateApiKeyRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_CreateApiKeyReply>): grpc.ClientUnaryCall;
  createApiKey(argument: _sluice_catalog_v1_CreateApiKeyRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_CreateApiKeyReply>): grpc.ClientUnaryCall;
  createApiKey(argument: _sluice_catalog_v1_CreateApiKeyRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_CreateApiKeyReply>): grpc.ClientUnaryCall;
  createApiKey(argument: _sluice_catalog_v1_CreateApiKeyRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_CreateApiKeyReply>): grpc.ClientUnaryCall;
  
  CreateResource(argument: _sluice_catalog_v1_ResourceInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  CreateResource(argument: _sluice_catalog_v1_ResourceInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  CreateResource(argument: _sluice_catalog_v1_ResourceInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  CreateResource(argument: _sluice_catalog_v1_ResourceInput, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  createResource(argument: _sluice_catalog_v1_ResourceInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  createResource(argument: _sluice_catalog_v1_ResourceInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  createResource(argument: _sluice_catalog_v1_ResourceInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  createResource(argument: _sluice_catalog_v1_ResourceInput, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  
  /**
   * A link of ten minutes that signs a person in to the console once.
   */
  CreateSignInLink(argument: _sluice_catalog_v1_CreateSignInLinkRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_CreateSignInLinkReply>): grpc.ClientUnaryCall;
  CreateSignInLink(argument: _sluice_catalog_v1_CreateSignInLinkRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_CreateSignInLinkReply>): grpc.ClientUnaryCall;
  CreateSignInLink(argument: _sluice_catalog_v1_CreateSignInLinkRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_CreateSignInLinkReply>): grpc.ClientUnaryCall;
  CreateSignInLink(argument: _sluice_catalog_v1_CreateSignInLinkRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_CreateSignInLinkReply>): grpc.ClientUnaryCall;
  /**
   * A link of ten minutes that signs a person in to the console once.
   */
  createSignInLink(argument: _sluice_catalog_v1_CreateSignInLinkRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_CreateSignInLinkReply>): grpc.ClientUnaryCall;
  createSignInLink(argument: _sluice_catalog_v1_CreateSignInLinkRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_CreateSignInLinkReply>): grpc.ClientUnaryCall;
  createSignInLink(argument: _sluice_catalog_v1_CreateSignInLinkRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_CreateSignInLinkReply>): grpc.ClientUnaryCall;
  createSignInLink(argument: _sluice_catalog_v1_CreateSignInLinkRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_CreateSignInLinkReply>): grpc.ClientUnaryCall;
  
  DeleteResource(argument: _sluice_catalog_v1_ResourceReferenceInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  DeleteResource(argument: _sluice_catalog_v1_ResourceReferenceInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  DeleteResource(argument: _sluice_catalog_v1_ResourceReferenceInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  DeleteResource(argument: _sluice_catalog_v1_ResourceReferenceInput, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  deleteResource(argument: _sluice_catalog_v1_ResourceReferenceInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  deleteResource(argument: _sluice_catalog_v1_ResourceReferenceInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  deleteResource(argument: _sluice_catalog_v1_ResourceReferenceInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  deleteResource(argument: _sluice_catalog_v1_ResourceReferenceInput, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  
  GetResource(argument: _sluice_catalog_v1_ResourceReferenceInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  GetResource(argument: _sluice_catalog_v1_ResourceReferenceInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  GetResource(argument: _sluice_catalog_v1_ResourceReferenceInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  GetResource(argument: _sluice_catalog_v1_ResourceReferenceInput, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  getResource(argument: _sluice_catalog_v1_ResourceReferenceInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  getResource(argument: _sluice_catalog_v1_ResourceReferenceInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  getResource(argument: _sluice_catalog_v1_ResourceReferenceInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  getResource(argument: _sluice_catalog_v1_ResourceReferenceInput, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  
  /**
   * A credential of ten minutes for the playground of a signed-in account.
   */
  IssuePlaygroundToken(argument: _sluice_catalog_v1_IssuePlaygroundTokenRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_IssuePlaygroundTokenReply>): grpc.ClientUnaryCall;
  IssuePlaygroundToken(argument: _sluice_catalog_v1_IssuePlaygroundTokenRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_IssuePlaygroundTokenReply>): grpc.ClientUnaryCall;
  IssuePlaygroundToken(argument: _sluice_catalog_v1_IssuePlaygroundTokenRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_IssuePlaygroundTokenReply>): grpc.ClientUnaryCall;
  IssuePlaygroundToken(argument: _sluice_catalog_v1_IssuePlaygroundTokenRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_IssuePlaygroundTokenReply>): grpc.ClientUnaryCall;
  /**
   * A credential of ten minutes for the playground of a signed-in account.
   */
  issuePlaygroundToken(argument: _sluice_catalog_v1_IssuePlaygroundTokenRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_IssuePlaygroundTokenReply>): grpc.ClientUnaryCall;
  issuePlaygroundToken(argument: _sluice_catalog_v1_IssuePlaygroundTokenRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_IssuePlaygroundTokenReply>): grpc.ClientUnaryCall;
  issuePlaygroundToken(argument: _sluice_catalog_v1_IssuePlaygroundTokenRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_IssuePlaygroundTokenReply>): grpc.ClientUnaryCall;
  issuePlaygroundToken(argument: _sluice_catalog_v1_IssuePlaygroundTokenRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_IssuePlaygroundTokenReply>): grpc.ClientUnaryCall;
  
  /**
   * The changes, with their authors and times, the newest first.
   */
  ListAudit(argument: _sluice_catalog_v1_ListAuditRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListAuditReply>): grpc.ClientUnaryCall;
  ListAudit(argument: _sluice_catalog_v1_ListAuditRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ListAuditReply>): grpc.ClientUnaryCall;
  ListAudit(argument: _sluice_catalog_v1_ListAuditRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListAuditReply>): grpc.ClientUnaryCall;
  ListAudit(argument: _sluice_catalog_v1_ListAuditRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ListAuditReply>): grpc.ClientUnaryCall;
  /**
   * The changes, with their authors and times, the newest first.
   */
  listAudit(argument: _sluice_catalog_v1_ListAuditRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListAuditReply>): grpc.ClientUnaryCall;
  listAudit(argument: _sluice_catalog_v1_ListAuditRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ListAuditReply>): grpc.ClientUnaryCall;
  listAudit(argument: _sluice_catalog_v1_ListAuditRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListAuditReply>): grpc.ClientUnaryCall;
  listAudit(argument: _sluice_catalog_v1_ListAuditRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ListAuditReply>): grpc.ClientUnaryCall;
  
  ListResources(argument: _sluice_catalog_v1_ListResourcesRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListResourcesReply>): grpc.ClientUnaryCall;
  ListResources(argument: _sluice_catalog_v1_ListResourcesRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ListResourcesReply>): grpc.ClientUnaryCall;
  ListResources(argument: _sluice_catalog_v1_ListResourcesRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListResourcesReply>): grpc.ClientUnaryCall;
  ListResources(argument: _sluice_catalog_v1_ListResourcesRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ListResourcesReply>): grpc.ClientUnaryCall;
  listResources(argument: _sluice_catalog_v1_ListResourcesRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListResourcesReply>): grpc.ClientUnaryCall;
  listResources(argument: _sluice_catalog_v1_ListResourcesRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ListResourcesReply>): grpc.ClientUnaryCall;
  listResources(argument: _sluice_catalog_v1_ListResourcesRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListResourcesReply>): grpc.ClientUnaryCall;
  listResources(argument: _sluice_catalog_v1_ListResourcesRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ListResourcesReply>): grpc.ClientUnaryCall;
  
  RevokeApiKey(argument: _sluice_catalog_v1_RevokeApiKeyRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  RevokeApiKey(argument: _sluice_catalog_v1_RevokeApiKeyRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  RevokeApiKey(argument: _sluice_catalog_v1_RevokeApiKeyRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  RevokeApiKey(argument: _sluice_catalog_v1_RevokeApiKeyRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  revokeApiKey(argument: _sluice_catalog_v1_RevokeApiKeyRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  revokeApiKey(argument: _sluice_catalog_v1_RevokeApiKeyRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  revokeApiKey(argument: _sluice_catalog_v1_RevokeApiKeyRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  revokeApiKey(argument: _sluice_catalog_v1_RevokeApiKeyRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  
  UpdateResource(argument: _sluice_catalog_v1_ResourceInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  UpdateResource(argument: _sluice_catalog_v1_ResourceInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  UpdateResource(argument: _sluice_catalog_v1_ResourceInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  UpdateResource(argument: _sluice_catalog_v1_ResourceInput, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  updateResource(argument: _sluice_catalog_v1_ResourceInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  updateResource(argument: _sluice_catalog_v1_ResourceInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  updateResource(argument: _sluice_catalog_v1_ResourceInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  updateResource(argument: _sluice_catalog_v1_ResourceInput, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  
}

/**
 * Changes the content of the catalog. Listens on a separate port and requires a
 * named admin token. Its name is recorded as the author of every change.
 */
export interface CatalogAdminHandlers extends grpc.UntypedServiceImplementation {
  CreateApiKey: grpc.handleUnaryCall<_sluice_catalog_v1_CreateApiKeyRequest, _sluice_catalog_v1_CreateApiKeyReplyInput>;
  
  CreateResource: grpc.handleUnaryCall<_sluice_catalog_v1_Resource, _sluice_catalog_v1_ResourceInput>;
  
  /**
   * A link of ten minutes that signs a person in to the console once.
   */
  CreateSignInLink: grpc.handleUnaryCall<_sluice_catalog_v1_CreateSignInLinkRequest, _sluice_catalog_v1_CreateSignInLinkReplyInput>;
  
  DeleteResource: grpc.handleUnaryCall<_sluice_catalog_v1_ResourceReference, _sluice_catalog_v1_DeletedInput>;
  
  GetResource: grpc.handleUnaryCall<_sluice_catalog_v1_ResourceReference, _sluice_catalog_v1_ResourceInput>;
  
  /**
   * A credential of ten minutes for the playground of a signed-in account.
   */
  IssuePlaygroundToken: grpc.handleUnaryCall<_sluice_catalog_v1_IssuePlaygroundTokenRequest, _sluice_catalog_v1_IssuePlaygroundTokenReplyInput>;
  
  /**
   * The changes, with their authors and times, the newest first.
   */
  ListAudit: grpc.handleUnaryCall<_sluice_catalog_v1_ListAuditRequest, _sluice_catalog_v1_ListAuditReplyInput>;
  
  ListResources: grpc.handleUnaryCall<_sluice_catalog_v1_ListResourcesRequest, _sluice_catalog_v1_ListResourcesReplyInput>;
  
  RevokeApiKey: grpc.handleUnaryCall<_sluice_catalog_v1_RevokeApiKeyRequest, _sluice_catalog_v1_ResourceInput>;
  
  UpdateResource: grpc.handleUnaryCall<_sluice_catalog_v1_Resource, _sluice_catalog_v1_ResourceInput>;
  
}

export interface CatalogAdminDefinition extends grpc.ServiceDefinition {
  CreateApiKey: MethodDefinition<_sluice_catalog_v1_CreateApiKeyRequestInput, _sluice_catalog_v1_CreateApiKeyReplyInput, _sluice_catalog_v1_CreateApiKeyRequest, _sluice_catalog_v1_CreateApiKeyReply>
  CreateResource: MethodDefinition<_sluice_catalog_v1_ResourceInput, _sluice_catalog_v1_ResourceInput, _sluice_catalog_v1_Resource, _sluice_catalog_v1_Resource>
  CreateSignInLink: MethodDefinition<_sluice_catalog_v1_CreateSignInLinkRequestInput, _sluice_catalog_v1_CreateSignInLinkReplyInput, _sluice_catalog_v1_CreateSignInLinkRequest, _sluice_catalog_v1_CreateSignInLinkReply>
  DeleteResource: MethodDefinition<_sluice_catalog_v1_ResourceReferenceInput, _sluice_catalog_v1_DeletedInput, _sluice_catalog_v1_ResourceReference, _sluice_catalog_v1_Deleted>
  GetResource: MethodDefinition<_sluice_catalog_v1_ResourceReferenceInput, _sluice_catalog_v1_ResourceInput, _sluice_catalog_v1_ResourceReference, _sluice_catalog_v1_Resource>
  IssuePlaygroundToken: MethodDefinition<_sluice_catalog_v1_IssuePlaygroundTokenRequestInput, _sluice_catalog_v1_IssuePlaygroundTokenReplyInput, _sluice_catalog_v1_IssuePlaygroundTokenRequest, _sluice_catalog_v1_IssuePlaygroundTokenReply>
  ListAudit: MethodDefinition<_sluice_catalog_v1_ListAuditRequestInput, _sluice_catalog_v1_ListAuditReplyInput, _sluice_catalog_v1_ListAuditRequest, _sluice_catalog_v1_ListAuditReply>
  ListResources: MethodDefinition<_sluice_catalog_v1_ListResourcesRequestInput, _sluice_catalog_v1_ListResourcesReplyInput, _sluice_catalog_v1_ListResourcesRequest, _sluice_catalog_v1_ListResourcesReply>
  RevokeApiKey: MethodDefinition<_sluice_catalog_v1_RevokeApiKeyRequestInput, _sluice_catalog_v1_ResourceInput, _sluice_catalog_v1_RevokeApiKeyRequest, _sluice_catalog_v1_Resource>
  UpdateResource: MethodDefinition<_sluice_catalog_v1_ResourceInput, _sluice_catalog_v1_ResourceInput, _sluice_catalog_v1_Resource, _sluice_catalog_v1_Resource>
}
