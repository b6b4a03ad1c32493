// Original file: proto/catalog/v1/catalog.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { ListModelsReplyInput as _sluice_catalog_v1_ListModelsReplyInput, ListModelsReply as _sluice_catalog_v1_ListModelsReply } from '../../../sluice/catalog/v1/ListModelsReply.ts';
import type { ListModelsRequestInput as _sluice_catalog_v1_ListModelsRequestInput, ListModelsRequest as _sluice_catalog_v1_ListModelsRequest } from '../../../sluice/catalog/v1/ListModelsRequest.ts';
import type { ResolveCredentialReplyInput as _sluice_catalog_v1_ResolveCredentialReplyInput, ResolveCredentialReply as _sluice_catalog_v1_ResolveCredentialReply } from '../../../sluice/catalog/v1/ResolveCredentialReply.ts';
import type { ResolveCredentialRequestInput as _sluice_catalog_v1_ResolveCredentialRequestInput, ResolveCredentialRequest as _sluice_catalog_v1_ResolveCredentialRequest } from '../../../sluice/catalog/v1/ResolveCredentialRequest.ts';

/**
 * Tells gateways who is calling, what the caller may use, and under which limits and retention.
 */
export interface CatalogClient extends grpc.Client {
  ListModels(argument: _sluice_catalog_v1_ListModelsRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListModelsReply>): grpc.ClientUnaryCall;
  ListModels(argument: _sluice_catalog_v1_ListModelsRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ListModelsReply>): grpc.ClientUnaryCall;
  ListModels(argument: _sluice_catalog_v1_ListModelsRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListModelsReply>): grpc.ClientUnaryCall;
  ListModels(argument: _sluice_catalog_v1_ListModelsRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ListModelsReply>): grpc.ClientUnaryCall;
  listModels(argument: _sluice_catalog_v1_ListModelsRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListModelsReply>): grpc.ClientUnaryCall;
  listModels(argument: _sluice_catalog_v1_ListModelsRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ListModelsReply>): grpc.ClientUnaryCall;
  listModels(argument: _sluice_catalog_v1_ListModelsRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListModelsReply>): grpc.ClientUnaryCall;
  listModels(argument: _sluice_catalog_v1_ListModelsRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ListModelsReply>): grpc.ClientUnaryCall;
  
  ResolveCredential(argument: _sluice_catalog_v1_ResolveCredentialRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ResolveCredentialReply>): grpc.ClientUnaryCall;
  ResolveCredential(argument: _sluice_catalog_v1_ResolveCredentialRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ResolveCredentialReply>): grpc.ClientUnaryCall;
  ResolveCredential(argument: _sluice_catalog_v1_ResolveCredentialRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ResolveCredentialReply>): grpc.ClientUnaryCall;
  ResolveCredential(argument: _sluice_catalog_v1_ResolveCredentialRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ResolveCredentialReply>): grpc.ClientUnaryCall;
  resolveCredential(argument: _sluice_catalog_v1_ResolveCredentialRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ResolveCredentialReply>): grpc.ClientUnaryCall;
  resolveCredential(argument: _sluice_catalog_v1_ResolveCredentialRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ResolveCredentialReply>): grpc.ClientUnaryCall;
  resolveCredential(argument: _sluice_catalog_v1_ResolveCredentialRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ResolveCredentialReply>): grpc.ClientUnaryCall;
  resolveCredential(argument: _sluice_catalog_v1_ResolveCredentialRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ResolveCredentialReply>): grpc.ClientUnaryCall;
  
}

/**
 * Tells gateways who is calling, what the caller may use, and under which limits and retention.
 */
export interface CatalogHandlers extends grpc.UntypedServiceImplementation {
  ListModels: grpc.handleUnaryCall<_sluice_catalog_v1_ListModelsRequest, _sluice_catalog_v1_ListModelsReplyInput>;
  
  ResolveCredential: grpc.handleUnaryCall<_sluice_catalog_v1_ResolveCredentialRequest, _sluice_catalog_v1_ResolveCredentialReplyInput>;
  
}

export interface CatalogDefinition extends grpc.ServiceDefinition {
  ListModels: MethodDefinition<_sluice_catalog_v1_ListModelsRequestInput, _sluice_catalog_v1_ListModelsReplyInput, _sluice_catalog_v1_ListModelsRequest, _sluice_catalog_v1_ListModelsReply>
  ResolveCredential: MethodDefinition<_sluice_catalog_v1_ResolveCredentialRequestInput, _sluice_catalog_v1_ResolveCredentialReplyInput, _sluice_catalog_v1_ResolveCredentialRequest, _sluice_catalog_v1_ResolveCredentialReply>
}
