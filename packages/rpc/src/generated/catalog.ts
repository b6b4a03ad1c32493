import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { AuditRecordInput as _sluice_catalog_v1_AuditRecordInput, AuditRecord as _sluice_catalog_v1_AuditRecord } from './sluice/catalog/v1/AuditRecord.ts';
import type { CatalogClient as _sluice_catalog_v1_CatalogClient, CatalogDefinition as _sluice_catalog_v1_CatalogDefinition } from './sluice/catalog/v1/Catalog.ts';
import type { CatalogAdminClient as _sluice_catalog_v1_CatalogAdminClient, CatalogAdminDefinition as _sluice_catalog_v1_CatalogAdminDefinition } from './sluice/catalog/v1/CatalogAdmin.ts';
import type { CreateApiKeyReplyInput as _sluice_catalog_v1_CreateApiKeyReplyInput, CreateApiKeyReply as _sluice_catalog_v1_CreateApiKeyReply } from './sluice/catalog/v1/CreateApiKeyReply.ts';
import type { CreateApiKeyRequestInput as _sluice_catalog_v1_CreateApiKeyRequestInput, CreateApiKeyRequest as _sluice_catalog_v1_CreateApiKeyRequest } from './sluice/catalog/v1/CreateApiKeyRequest.ts';
import type { CreateSignInLinkReplyInput as _sluice_catalog_v1_CreateSignInLinkReplyInput, CreateSignInLinkReply as _sluice_catalog_v1_CreateSignInLinkReply } from './sluice/catalog/v1/CreateSignInLinkReply.ts';
import type { CreateSignInLinkRequestInput as _sluice_catalog_v1_CreateSignInLinkRequestInput, CreateSignInLinkRequest as _sluice_catalog_v1_CreateSignInLinkRequest } from './sluice/catalog/v1/CreateSignInLinkRequest.ts';
import type { DeletedInput as _sluice_catalog_v1_DeletedInput, Deleted as _sluice_catalog_v1_Deleted } from './sluice/catalog/v1/Deleted.ts';
import type { IssuePlaygroundTokenReplyInput as _sluice_catalog_v1_IssuePlaygroundTokenReplyInput, IssuePlaygroundTokenReply as _sluice_catalog_v1_IssuePlaygroundTokenReply } from './sluice/catalog/v1/IssuePlaygroundTokenReply.ts';
import type { IssuePlaygroundTokenRequestInput as _sluice_catalog_v1_IssuePlaygroundTokenRequestInput, IssuePlaygroundTokenRequest as _sluice_catalog_v1_IssuePlaygroundTokenRequest } from './sluice/catalog/v1/IssuePlaygroundTokenRequest.ts';
import type { LimitsInput as _sluice_catalog_v1_LimitsInput, Limits as _sluice_catalog_v1_Limits } from './sluice/catalog/v1/Limits.ts';
import type { ListAuditReplyInput as _sluice_catalog_v1_ListAuditReplyInput, ListAuditReply as _sluice_catalog_v1_ListAuditReply } from './sluice/catalog/v1/ListAuditReply.ts';
import type { ListAuditRequestInput as _sluice_catalog_v1_ListAuditRequestInput, ListAuditRequest as _sluice_catalog_v1_ListAuditRequest } from './sluice/catalog/v1/ListAuditRequest.ts';
import type { ListModelsReplyInput as _sluice_catalog_v1_ListModelsReplyInput, ListModelsReply as _sluice_catalog_v1_ListModelsReply } from './sluice/catalog/v1/ListModelsReply.ts';
import type { ListModelsRequestInput as _sluice_catalog_v1_ListModelsRequestInput, ListModelsRequest as _sluice_catalog_v1_ListModelsRequest } from './sluice/catalog/v1/ListModelsRequest.ts';
import type { ListResourcesReplyInput as _sluice_catalog_v1_ListResourcesReplyInput, ListResourcesReply as _sluice_catalog_v1_ListResourcesReply } from './sluice/catalog/v1/ListResourcesReply.ts';
import type { ListResourcesRequestInput as _sluice_catalog_v1_ListResourcesRequestInput, ListResourcesRequest as _sluice_catalog_v1_ListResourcesRequest } from './sluice/catalog/v1/ListResourcesRequest.ts';
import type { ModelInput as _sluice_catalog_v1_ModelInput, Model as _sluice_catalog_v1_Model } from './sluice/catalog/v1/Model.ts';
import type { ModelTargetInput as _sluice_catalog_v1_ModelTargetInput, ModelTarget as _sluice_catalog_v1_ModelTarget } from './sluice/catalog/v1/ModelTarget.ts';
import type { PrincipalInput as _sluice_catalog_v1_PrincipalInput, Principal as _sluice_catalog_v1_Principal } from './sluice/catalog/v1/Principal.ts';
import type { ReasoningInput as _sluice_catalog_v1_ReasoningInput, Reasoning as _sluice_catalog_v1_Reasoning } from './sluice/catalog/v1/Reasoning.ts';
import type { ResolveCredentialReplyInput as _sluice_catalog_v1_ResolveCredentialReplyInput, ResolveCredentialReply as _sluice_catalog_v1_ResolveCredentialReply } from './sluice/catalog/v1/ResolveCredentialReply.ts';
import type { ResolveCredentialRequestInput as _sluice_catalog_v1_ResolveCredentialRequestInput, ResolveCredentialRequest as _sluice_catalog_v1_ResolveCredentialRequest } from './sluice/catalog/v1/ResolveCredentialRequest.ts';
import type { ResourceInput as _sluice_catalog_v1_ResourceInput, Resource as _sluice_catalog_v1_Resource } from './sluice/catalog/v1/Resource.ts';
import type { ResourceReferenceInput as _sluice_catalog_v1_ResourceReferenceInput, ResourceReference as _sluice_catalog_v1_ResourceReference } from './sluice/catalog/v1/ResourceReference.ts';
import type { RevokeApiKeyRequestInput as _sluice_catalog_v1_RevokeApiKeyRequestInput, RevokeApiKeyRequest as _sluice_catalog_v1_RevokeApiKeyRequest } from './sluice/catalog/v1/RevokeApiKeyRequest.ts';
import type { StorePositionInput as _sluice_catalog_v1_StorePositionInput, StorePosition as _sluice_catalog_v1_StorePosition } from './sluice/catalog/v1/StorePosition.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  sluice: {
    catalog: {
      v1: {
        AuditRecord: MessageTypeDefinition<_sluice_catalog_v1_AuditRecordInput, _sluice_catalog_v1_AuditRecord>
        /**
         * Tells gateways who is calling, what the caller may use, and under which limits and retention.
         */
        Catalog: SubtypeConstructor<typeof grpc.Client, _sluice_catalog_v1_CatalogClient> & { service: _sluice_catalog_v1_CatalogDefinition }
        /**
         * Changes the content of the catalog. Listens on a separate port and requires a
         * named admin token. Its name is recorded as the author of every change.
         */
        CatalogAdmin: SubtypeConstructor<typeof grpc.Client, _sluice_catalog_v1_CatalogAdminClient> & { service: _sluice_catalog_v1_CatalogAdminDefinition }
        CreateApiKeyReply: MessageTypeDefinition<_sluice_catalog_v1_CreateApiKeyReplyInput, _sluice_catalog_v1_CreateApiKeyReply>
        CreateApiKeyRequest: MessageTypeDefinition<_sluice_catalog_v1_CreateApiKeyRequestInput, _sluice_catalog_v1_CreateApiKeyRequest>
        CreateSignInLinkReply: MessageTypeDefinition<_sluice_catalog_v1_CreateSignInLinkReplyInput, _sluice_catalog_v1_CreateSignInLinkReply>
        CreateSignInLinkRequest: MessageTypeDefinition<_sluice_catalog_v1_CreateSignInLinkRequestInput, _sluice_catalog_v1_CreateSignInLinkRequest>
        CredentialKind: EnumTypeDefinition
        Deleted: MessageTypeDefinition<_sluice_catalog_v1_DeletedInput, _sluice_catalog_v1_Deleted>
        IssuePlaygroundTokenReply: MessageTypeDefinition<_sluice_catalog_v1_IssuePlaygroundTokenReplyInput, _sluice_catalog_v1_IssuePlaygroundTokenReply>
        IssuePlaygroundTokenRequest: MessageTypeDefinition<_sluice_catalog_v1_IssuePlaygroundTokenRequestInput, _sluice_catalog_v1_IssuePlaygroundTokenRequest>
        Limits: MessageTypeDefinition<_sluice_catalog_v1_LimitsInput, _sluice_catalog_v1_Limits>
        ListAuditReply: MessageTypeDefinition<_sluice_catalog_v1_ListAuditReplyInput, _sluice_catalog_v1_ListAuditReply>
        ListAuditRequest: MessageTypeDefinition<_sluice_catalog_v1_ListAuditRequestInput, _sluice_catalog_v1_ListAuditRequest>
        ListModelsReply: MessageTypeDefinition<_sluice_catalog_v1_ListModelsReplyInput, _sluice_catalog_v1_ListModelsReply>
        ListModelsRequest: MessageTypeDefinition<_sluice_catalog_v1_ListModelsRequestInput, _sluice_catalog_v1_ListModelsRequest>
        ListResourcesReply: MessageTypeDefinition<_sluice_catalog_v1_ListResourcesReplyInput, _sluice_catalog_v1_ListResourcesReply>
        ListResourcesRequest: MessageTypeDefinition<_sluice_catalog_v1_ListResourcesRequestInput, _sluice_catalog_v1_ListResourcesRequest>
        Model: MessageTypeDefinition<_sluice_catalog_v1_ModelInput, _sluice_catalog_v1_Model>
        ModelTarget: MessageTypeDefinition<_sluice_catalog_v1_ModelTargetInput, _sluice_catalog_v1_ModelTarget>
        Principal: MessageTypeDefinition<_sluice_catalog_v1_PrincipalInput, _sluice_catalog_v1_Principal>
        Reasoning: MessageTypeDefinition<_sluice_catalog_v1_ReasoningInput, _sluice_catalog_v1_Reasoning>
        ResolveCredentialReply: MessageTypeDefinition<_sluice_catalog_v1_ResolveCredentialReplyInput, _sluice_catalog_v1_ResolveCredentialReply>
        ResolveCredentialRequest: MessageTypeDefinition<_sluice_catalog_v1_ResolveCredentialRequestInput, _sluice_catalog_v1_ResolveCredentialRequest>
        Resource: MessageTypeDefinition<_sluice_catalog_v1_ResourceInput, _sluice_catalog_v1_Resource>
        ResourceReference: MessageTypeDefinition<_sluice_catalog_v1_ResourceReferenceInput, _sluice_catalog_v1_ResourceReference>
        RevokeApiKeyRequest: MessageTypeDefinition<_sluice_catalog_v1_RevokeApiKeyRequestInput, _sluice_catalog_v1_RevokeApiKeyRequest>
        StorePosition: MessageTypeDefinition<_sluice_catalog_v1_StorePositionInput, _sluice_catalog_v1_StorePosition>
      }
    }
  }
}

