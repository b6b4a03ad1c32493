import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { AcceptInvitationReplyInput as _sluice_catalog_v1_AcceptInvitationReplyInput, AcceptInvitationReply as _sluice_catalog_v1_AcceptInvitationReply } from './sluice/catalog/v1/AcceptInvitationReply.ts';
import type { AcceptInvitationRequestInput as _sluice_catalog_v1_AcceptInvitationRequestInput, AcceptInvitationRequest as _sluice_catalog_v1_AcceptInvitationRequest } from './sluice/catalog/v1/AcceptInvitationRequest.ts';
import type { AccountDetailsInput as _sluice_catalog_v1_AccountDetailsInput, AccountDetails as _sluice_catalog_v1_AccountDetails } from './sluice/catalog/v1/AccountDetails.ts';
import type { ApiKeyDetailsInput as _sluice_catalog_v1_ApiKeyDetailsInput, ApiKeyDetails as _sluice_catalog_v1_ApiKeyDetails } from './sluice/catalog/v1/ApiKeyDetails.ts';
import type { AuditRecordInput as _sluice_catalog_v1_AuditRecordInput, AuditRecord as _sluice_catalog_v1_AuditRecord } from './sluice/catalog/v1/AuditRecord.ts';
import type { AuthorizeReplyInput as _sluice_catalog_v1_AuthorizeReplyInput, AuthorizeReply as _sluice_catalog_v1_AuthorizeReply } from './sluice/catalog/v1/AuthorizeReply.ts';
import type { AuthorizeRequestInput as _sluice_catalog_v1_AuthorizeRequestInput, AuthorizeRequest as _sluice_catalog_v1_AuthorizeRequest } from './sluice/catalog/v1/AuthorizeRequest.ts';
import type { BudgetInput as _sluice_catalog_v1_BudgetInput, Budget as _sluice_catalog_v1_Budget } from './sluice/catalog/v1/Budget.ts';
import type { CatalogClient as _sluice_catalog_v1_CatalogClient, CatalogDefinition as _sluice_catalog_v1_CatalogDefinition } from './sluice/catalog/v1/Catalog.ts';
import type { CatalogAdminClient as _sluice_catalog_v1_CatalogAdminClient, CatalogAdminDefinition as _sluice_catalog_v1_CatalogAdminDefinition } from './sluice/catalog/v1/CatalogAdmin.ts';
import type { CatalogConsoleClient as _sluice_catalog_v1_CatalogConsoleClient, CatalogConsoleDefinition as _sluice_catalog_v1_CatalogConsoleDefinition } from './sluice/catalog/v1/CatalogConsole.ts';
import type { CompleteOnboardingRequestInput as _sluice_catalog_v1_CompleteOnboardingRequestInput, CompleteOnboardingRequest as _sluice_catalog_v1_CompleteOnboardingRequest } from './sluice/catalog/v1/CompleteOnboardingRequest.ts';
import type { CreateApiKeyReplyInput as _sluice_catalog_v1_CreateApiKeyReplyInput, CreateApiKeyReply as _sluice_catalog_v1_CreateApiKeyReply } from './sluice/catalog/v1/CreateApiKeyReply.ts';
import type { CreateApiKeyRequestInput as _sluice_catalog_v1_CreateApiKeyRequestInput, CreateApiKeyRequest as _sluice_catalog_v1_CreateApiKeyRequest } from './sluice/catalog/v1/CreateApiKeyRequest.ts';
import type { CreateInvitationReplyInput as _sluice_catalog_v1_CreateInvitationReplyInput, CreateInvitationReply as _sluice_catalog_v1_CreateInvitationReply } from './sluice/catalog/v1/CreateInvitationReply.ts';
import type { CreateInvitationRequestInput as _sluice_catalog_v1_CreateInvitationRequestInput, CreateInvitationRequest as _sluice_catalog_v1_CreateInvitationRequest } from './sluice/catalog/v1/CreateInvitationRequest.ts';
import type { CreateOwnApiKeyReplyInput as _sluice_catalog_v1_CreateOwnApiKeyReplyInput, CreateOwnApiKeyReply as _sluice_catalog_v1_CreateOwnApiKeyReply } from './sluice/catalog/v1/CreateOwnApiKeyReply.ts';
import type { CreateOwnApiKeyRequestInput as _sluice_catalog_v1_CreateOwnApiKeyRequestInput, CreateOwnApiKeyRequest as _sluice_catalog_v1_CreateOwnApiKeyRequest } from './sluice/catalog/v1/CreateOwnApiKeyRequest.ts';
import type { CreateProjectRequestInput as _sluice_catalog_v1_CreateProjectRequestInput, CreateProjectRequest as _sluice_catalog_v1_CreateProjectRequest } from './sluice/catalog/v1/CreateProjectRequest.ts';
import type { CreateSignInLinkReplyInput as _sluice_catalog_v1_CreateSignInLinkReplyInput, CreateSignInLinkReply as _sluice_catalog_v1_CreateSignInLinkReply } from './sluice/catalog/v1/CreateSignInLinkReply.ts';
import type { CreateSignInLinkRequestInput as _sluice_catalog_v1_CreateSignInLinkRequestInput, CreateSignInLinkRequest as _sluice_catalog_v1_CreateSignInLinkRequest } from './sluice/catalog/v1/CreateSignInLinkRequest.ts';
import type { DeleteOrganizationRequestInput as _sluice_catalog_v1_DeleteOrganizationRequestInput, DeleteOrganizationRequest as _sluice_catalog_v1_DeleteOrganizationRequest } from './sluice/catalog/v1/DeleteOrganizationRequest.ts';
import type { DeleteProjectRequestInput as _sluice_catalog_v1_DeleteProjectRequestInput, DeleteProjectRequest as _sluice_catalog_v1_DeleteProjectRequest } from './sluice/catalog/v1/DeleteProjectRequest.ts';
import type { DeletedInput as _sluice_catalog_v1_DeletedInput, Deleted as _sluice_catalog_v1_Deleted } from './sluice/catalog/v1/Deleted.ts';
import type { DescribeInvitationRequestInput as _sluice_catalog_v1_DescribeInvitationRequestInput, DescribeInvitationRequest as _sluice_catalog_v1_DescribeInvitationRequest } from './sluice/catalog/v1/DescribeInvitationRequest.ts';
import type { EndSessionsRequestInput as _sluice_catalog_v1_EndSessionsRequestInput, EndSessionsRequest as _sluice_catalog_v1_EndSessionsRequest } from './sluice/catalog/v1/EndSessionsRequest.ts';
import type { EraseAccountReplyInput as _sluice_catalog_v1_EraseAccountReplyInput, EraseAccountReply as _sluice_catalog_v1_EraseAccountReply } from './sluice/catalog/v1/EraseAccountReply.ts';
import type { EraseAccountRequestInput as _sluice_catalog_v1_EraseAccountRequestInput, EraseAccountRequest as _sluice_catalog_v1_EraseAccountRequest } from './sluice/catalog/v1/EraseAccountRequest.ts';
import type { EraseOwnAccountRequestInput as _sluice_catalog_v1_EraseOwnAccountRequestInput, EraseOwnAccountRequest as _sluice_catalog_v1_EraseOwnAccountRequest } from './sluice/catalog/v1/EraseOwnAccountRequest.ts';
import type { ExportOwnDataRequestInput as _sluice_catalog_v1_ExportOwnDataRequestInput, ExportOwnDataRequest as _sluice_catalog_v1_ExportOwnDataRequest } from './sluice/catalog/v1/ExportOwnDataRequest.ts';
import type { ExportPersonalDataReplyInput as _sluice_catalog_v1_ExportPersonalDataReplyInput, ExportPersonalDataReply as _sluice_catalog_v1_ExportPersonalDataReply } from './sluice/catalog/v1/ExportPersonalDataReply.ts';
import type { ExportPersonalDataRequestInput as _sluice_catalog_v1_ExportPersonalDataRequestInput, ExportPersonalDataRequest as _sluice_catalog_v1_ExportPersonalDataRequest } from './sluice/catalog/v1/ExportPersonalDataRequest.ts';
import type { GetLimitsReplyInput as _sluice_catalog_v1_GetLimitsReplyInput, GetLimitsReply as _sluice_catalog_v1_GetLimitsReply } from './sluice/catalog/v1/GetLimitsReply.ts';
import type { GetLimitsRequestInput as _sluice_catalog_v1_GetLimitsRequestInput, GetLimitsRequest as _sluice_catalog_v1_GetLimitsRequest } from './sluice/catalog/v1/GetLimitsRequest.ts';
import type { GetOrganizationRequestInput as _sluice_catalog_v1_GetOrganizationRequestInput, GetOrganizationRequest as _sluice_catalog_v1_GetOrganizationRequest } from './sluice/catalog/v1/GetOrganizationRequest.ts';
import type { InvitationDescriptionInput as _sluice_catalog_v1_InvitationDescriptionInput, InvitationDescription as _sluice_catalog_v1_InvitationDescription } from './sluice/catalog/v1/InvitationDescription.ts';
import type { InvitationDetailsInput as _sluice_catalog_v1_InvitationDetailsInput, InvitationDetails as _sluice_catalog_v1_InvitationDetails } from './sluice/catalog/v1/InvitationDetails.ts';
import type { IssueOwnPlaygroundTokenRequestInput as _sluice_catalog_v1_IssueOwnPlaygroundTokenRequestInput, IssueOwnPlaygroundTokenRequest as _sluice_catalog_v1_IssueOwnPlaygroundTokenRequest } from './sluice/catalog/v1/IssueOwnPlaygroundTokenRequest.ts';
import type { IssuePlaygroundTokenReplyInput as _sluice_catalog_v1_IssuePlaygroundTokenReplyInput, IssuePlaygroundTokenReply as _sluice_catalog_v1_IssuePlaygroundTokenReply } from './sluice/catalog/v1/IssuePlaygroundTokenReply.ts';
import type { IssuePlaygroundTokenRequestInput as _sluice_catalog_v1_IssuePlaygroundTokenRequestInput, IssuePlaygroundTokenRequest as _sluice_catalog_v1_IssuePlaygroundTokenRequest } from './sluice/catalog/v1/IssuePlaygroundTokenRequest.ts';
import type { LimitsInput as _sluice_catalog_v1_LimitsInput, Limits as _sluice_catalog_v1_Limits } from './sluice/catalog/v1/Limits.ts';
import type { ListAccountsReplyInput as _sluice_catalog_v1_ListAccountsReplyInput, ListAccountsReply as _sluice_catalog_v1_ListAccountsReply } from './sluice/catalog/v1/ListAccountsReply.ts';
import type { ListAccountsRequestInput as _sluice_catalog_v1_ListAccountsRequestInput, ListAccountsRequest as _sluice_catalog_v1_ListAccountsRequest } from './sluice/catalog/v1/ListAccountsRequest.ts';
import type { ListApiKeysReplyInput as _sluice_catalog_v1_ListApiKeysReplyInput, ListApiKeysReply as _sluice_catalog_v1_ListApiKeysReply } from './sluice/catalog/v1/ListApiKeysReply.ts';
import type { ListApiKeysRequestInput as _sluice_catalog_v1_ListApiKeysRequestInput, ListApiKeysRequest as _sluice_catalog_v1_ListApiKeysRequest } from './sluice/catalog/v1/ListApiKeysRequest.ts';
import type { ListAuditReplyInput as _sluice_catalog_v1_ListAuditReplyInput, ListAuditReply as _sluice_catalog_v1_ListAuditReply } from './sluice/catalog/v1/ListAuditReply.ts';
import type { ListAuditRequestInput as _sluice_catalog_v1_ListAuditRequestInput, ListAuditRequest as _sluice_catalog_v1_ListAuditRequest } from './sluice/catalog/v1/ListAuditRequest.ts';
import type { ListInvitationsReplyInput as _sluice_catalog_v1_ListInvitationsReplyInput, ListInvitationsReply as _sluice_catalog_v1_ListInvitationsReply } from './sluice/catalog/v1/ListInvitationsReply.ts';
import type { ListInvitationsRequestInput as _sluice_catalog_v1_ListInvitationsRequestInput, ListInvitationsRequest as _sluice_catalog_v1_ListInvitationsRequest } from './sluice/catalog/v1/ListInvitationsRequest.ts';
import type { ListMembersReplyInput as _sluice_catalog_v1_ListMembersReplyInput, ListMembersReply as _sluice_catalog_v1_ListMembersReply } from './sluice/catalog/v1/ListMembersReply.ts';
import type { ListMembersRequestInput as _sluice_catalog_v1_ListMembersRequestInput, ListMembersRequest as _sluice_catalog_v1_ListMembersRequest } from './sluice/catalog/v1/ListMembersRequest.ts';
import type { ListModelsReplyInput as _sluice_catalog_v1_ListModelsReplyInput, ListModelsReply as _sluice_catalog_v1_ListModelsReply } from './sluice/catalog/v1/ListModelsReply.ts';
import type { ListModelsRequestInput as _sluice_catalog_v1_ListModelsRequestInput, ListModelsRequest as _sluice_catalog_v1_ListModelsRequest } from './sluice/catalog/v1/ListModelsRequest.ts';
import type { ListOfferedModelsReplyInput as _sluice_catalog_v1_ListOfferedModelsReplyInput, ListOfferedModelsReply as _sluice_catalog_v1_ListOfferedModelsReply } from './sluice/catalog/v1/ListOfferedModelsReply.ts';
import type { ListOfferedModelsRequestInput as _sluice_catalog_v1_ListOfferedModelsRequestInput, ListOfferedModelsRequest as _sluice_catalog_v1_ListOfferedModelsRequest } from './sluice/catalog/v1/ListOfferedModelsRequest.ts';
import type { ListOrganizationsReplyInput as _sluice_catalog_v1_ListOrganizationsReplyInput, ListOrganizationsReply as _sluice_catalog_v1_ListOrganizationsReply } from './sluice/catalog/v1/ListOrganizationsReply.ts';
import type { ListOrganizationsRequestInput as _sluice_catalog_v1_ListOrganizationsRequestInput, ListOrganizationsRequest as _sluice_catalog_v1_ListOrganizationsRequest } from './sluice/catalog/v1/ListOrganizationsRequest.ts';
import type { ListPlatformResourcesReplyInput as _sluice_catalog_v1_ListPlatformResourcesReplyInput, ListPlatformResourcesReply as _sluice_catalog_v1_ListPlatformResourcesReply } from './sluice/catalog/v1/ListPlatformResourcesReply.ts';
import type { ListPlatformResourcesRequestInput as _sluice_catalog_v1_ListPlatformResourcesRequestInput, ListPlatformResourcesRequest as _sluice_catalog_v1_ListPlatformResourcesRequest } from './sluice/catalog/v1/ListPlatformResourcesRequest.ts';
import type { ListProjectsReplyInput as _sluice_catalog_v1_ListProjectsReplyInput, ListProjectsReply as _sluice_catalog_v1_ListProjectsReply } from './sluice/catalog/v1/ListProjectsReply.ts';
import type { ListProjectsRequestInput as _sluice_catalog_v1_ListProjectsRequestInput, ListProjectsRequest as _sluice_catalog_v1_ListProjectsRequest } from './sluice/catalog/v1/ListProjectsRequest.ts';
import type { ListResourcesReplyInput as _sluice_catalog_v1_ListResourcesReplyInput, ListResourcesReply as _sluice_catalog_v1_ListResourcesReply } from './sluice/catalog/v1/ListResourcesReply.ts';
import type { ListResourcesRequestInput as _sluice_catalog_v1_ListResourcesRequestInput, ListResourcesRequest as _sluice_catalog_v1_ListResourcesRequest } from './sluice/catalog/v1/ListResourcesRequest.ts';
import type { MemberDetailsInput as _sluice_catalog_v1_MemberDetailsInput, MemberDetails as _sluice_catalog_v1_MemberDetails } from './sluice/catalog/v1/MemberDetails.ts';
import type { MembershipInput as _sluice_catalog_v1_MembershipInput, Membership as _sluice_catalog_v1_Membership } from './sluice/catalog/v1/Membership.ts';
import type { ModelInput as _sluice_catalog_v1_ModelInput, Model as _sluice_catalog_v1_Model } from './sluice/catalog/v1/Model.ts';
import type { ModelTargetInput as _sluice_catalog_v1_ModelTargetInput, ModelTarget as _sluice_catalog_v1_ModelTarget } from './sluice/catalog/v1/ModelTarget.ts';
import type { OfferedModelInput as _sluice_catalog_v1_OfferedModelInput, OfferedModel as _sluice_catalog_v1_OfferedModel } from './sluice/catalog/v1/OfferedModel.ts';
import type { OrganizationDetailsInput as _sluice_catalog_v1_OrganizationDetailsInput, OrganizationDetails as _sluice_catalog_v1_OrganizationDetails } from './sluice/catalog/v1/OrganizationDetails.ts';
import type { OrganizationSummaryInput as _sluice_catalog_v1_OrganizationSummaryInput, OrganizationSummary as _sluice_catalog_v1_OrganizationSummary } from './sluice/catalog/v1/OrganizationSummary.ts';
import type { PrincipalInput as _sluice_catalog_v1_PrincipalInput, Principal as _sluice_catalog_v1_Principal } from './sluice/catalog/v1/Principal.ts';
import type { ProjectDetailsInput as _sluice_catalog_v1_ProjectDetailsInput, ProjectDetails as _sluice_catalog_v1_ProjectDetails } from './sluice/catalog/v1/ProjectDetails.ts';
import type { ReasoningInput as _sluice_catalog_v1_ReasoningInput, Reasoning as _sluice_catalog_v1_Reasoning } from './sluice/catalog/v1/Reasoning.ts';
import type { RedeemSignInLinkRequestInput as _sluice_catalog_v1_RedeemSignInLinkRequestInput, RedeemSignInLinkRequest as _sluice_catalog_v1_RedeemSignInLinkRequest } from './sluice/catalog/v1/RedeemSignInLinkRequest.ts';
import type { RemoveMemberRequestInput as _sluice_catalog_v1_RemoveMemberRequestInput, RemoveMemberRequest as _sluice_catalog_v1_RemoveMemberRequest } from './sluice/catalog/v1/RemoveMemberRequest.ts';
import type { RenameProjectRequestInput as _sluice_catalog_v1_RenameProjectRequestInput, RenameProjectRequest as _sluice_catalog_v1_RenameProjectRequest } from './sluice/catalog/v1/RenameProjectRequest.ts';
import type { ResolveCredentialReplyInput as _sluice_catalog_v1_ResolveCredentialReplyInput, ResolveCredentialReply as _sluice_catalog_v1_ResolveCredentialReply } from './sluice/catalog/v1/ResolveCredentialReply.ts';
import type { ResolveCredentialRequestInput as _sluice_catalog_v1_ResolveCredentialRequestInput, ResolveCredentialRequest as _sluice_catalog_v1_ResolveCredentialRequest } from './sluice/catalog/v1/ResolveCredentialRequest.ts';
import type { ResourceInput as _sluice_catalog_v1_ResourceInput, Resource as _sluice_catalog_v1_Resource } from './sluice/catalog/v1/Resource.ts';
import type { ResourceReferenceInput as _sluice_catalog_v1_ResourceReferenceInput, ResourceReference as _sluice_catalog_v1_ResourceReference } from './sluice/catalog/v1/ResourceReference.ts';
import type { RevokeApiKeyRequestInput as _sluice_catalog_v1_RevokeApiKeyRequestInput, RevokeApiKeyRequest as _sluice_catalog_v1_RevokeApiKeyRequest } from './sluice/catalog/v1/RevokeApiKeyRequest.ts';
import type { RevokeInvitationRequestInput as _sluice_catalog_v1_RevokeInvitationRequestInput, RevokeInvitationRequest as _sluice_catalog_v1_RevokeInvitationRequest } from './sluice/catalog/v1/RevokeInvitationRequest.ts';
import type { RevokeOrganizationApiKeyRequestInput as _sluice_catalog_v1_RevokeOrganizationApiKeyRequestInput, RevokeOrganizationApiKeyRequest as _sluice_catalog_v1_RevokeOrganizationApiKeyRequest } from './sluice/catalog/v1/RevokeOrganizationApiKeyRequest.ts';
import type { SetAccountAccessRequestInput as _sluice_catalog_v1_SetAccountAccessRequestInput, SetAccountAccessRequest as _sluice_catalog_v1_SetAccountAccessRequest } from './sluice/catalog/v1/SetAccountAccessRequest.ts';
import type { SetAccountRestrictedRequestInput as _sluice_catalog_v1_SetAccountRestrictedRequestInput, SetAccountRestrictedRequest as _sluice_catalog_v1_SetAccountRestrictedRequest } from './sluice/catalog/v1/SetAccountRestrictedRequest.ts';
import type { SetMemberRoleRequestInput as _sluice_catalog_v1_SetMemberRoleRequestInput, SetMemberRoleRequest as _sluice_catalog_v1_SetMemberRoleRequest } from './sluice/catalog/v1/SetMemberRoleRequest.ts';
import type { SetOperatorRequestInput as _sluice_catalog_v1_SetOperatorRequestInput, SetOperatorRequest as _sluice_catalog_v1_SetOperatorRequest } from './sluice/catalog/v1/SetOperatorRequest.ts';
import type { SignInRequestInput as _sluice_catalog_v1_SignInRequestInput, SignInRequest as _sluice_catalog_v1_SignInRequest } from './sluice/catalog/v1/SignInRequest.ts';
import type { SignOutReplyInput as _sluice_catalog_v1_SignOutReplyInput, SignOutReply as _sluice_catalog_v1_SignOutReply } from './sluice/catalog/v1/SignOutReply.ts';
import type { SignOutRequestInput as _sluice_catalog_v1_SignOutRequestInput, SignOutRequest as _sluice_catalog_v1_SignOutRequest } from './sluice/catalog/v1/SignOutRequest.ts';
import type { SignedInInput as _sluice_catalog_v1_SignedInInput, SignedIn as _sluice_catalog_v1_SignedIn } from './sluice/catalog/v1/SignedIn.ts';
import type { StorePositionInput as _sluice_catalog_v1_StorePositionInput, StorePosition as _sluice_catalog_v1_StorePosition } from './sluice/catalog/v1/StorePosition.ts';
import type { UpdateOrganizationReplyInput as _sluice_catalog_v1_UpdateOrganizationReplyInput, UpdateOrganizationReply as _sluice_catalog_v1_UpdateOrganizationReply } from './sluice/catalog/v1/UpdateOrganizationReply.ts';
import type { UpdateOrganizationRequestInput as _sluice_catalog_v1_UpdateOrganizationRequestInput, UpdateOrganizationRequest as _sluice_catalog_v1_UpdateOrganizationRequest } from './sluice/catalog/v1/UpdateOrganizationRequest.ts';
import type { WebhookInput as _sluice_catalog_v1_WebhookInput, Webhook as _sluice_catalog_v1_Webhook } from './sluice/catalog/v1/Webhook.ts';
import type { WebhookListInput as _sluice_catalog_v1_WebhookListInput, WebhookList as _sluice_catalog_v1_WebhookList } from './sluice/catalog/v1/WebhookList.ts';
import type { WebhookSecretInput as _sluice_catalog_v1_WebhookSecretInput, WebhookSecret as _sluice_catalog_v1_WebhookSecret } from './sluice/catalog/v1/WebhookSecret.ts';
import type { WhoAmIReplyInput as _sluice_catalog_v1_WhoAmIReplyInput, WhoAmIReply as _sluice_catalog_v1_WhoAmIReply } from './sluice/catalog/v1/WhoAmIReply.ts';
import type { WhoAmIRequestInput as _sluice_catalog_v1_WhoAmIRequestInput, WhoAmIRequest as _sluice_catalog_v1_WhoAmIRequest } from './sluice/catalog/v1/WhoAmIRequest.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  sluice: {
    catalog: {
      v1: {
        AcceptInvitationReply: MessageTypeDefinition<_sluice_catalog_v1_AcceptInvitationReplyInput, _sluice_catalog_v1_AcceptInvitationReply>
        AcceptInvitationRequest: MessageTypeDefinition<_sluice_catalog_v1_AcceptInvitationRequestInput, _sluice_catalog_v1_AcceptInvitationRequest>
        AccountDetails: MessageTypeDefinition<_sluice_catalog_v1_AccountDetailsInput, _sluice_catalog_v1_AccountDetails>
        ApiKeyDetails: MessageTypeDefinition<_sluice_catalog_v1_ApiKeyDetailsInput, _sluice_catalog_v1_ApiKeyDetails>
        AuditRecord: MessageTypeDefinition<_sluice_catalog_v1_AuditRecordInput, _sluice_catalog_v1_AuditRecord>
        AuthorizeReply: MessageTypeDefinition<_sluice_catalog_v1_AuthorizeReplyInput, _sluice_catalog_v1_AuthorizeReply>
        AuthorizeRequest: MessageTypeDefinition<_sluice_catalog_v1_AuthorizeRequestInput, _sluice_catalog_v1_AuthorizeRequest>
        Budget: MessageTypeDefinition<_sluice_catalog_v1_BudgetInput, _sluice_catalog_v1_Budget>
        /**
         * Tells gateways who is calling, what the caller may use, and under which limits and retention.
         */
        Catalog: SubtypeConstructor<typeof grpc.Client, _sluice_catalog_v1_CatalogClient> & { service: _sluice_catalog_v1_CatalogDefinition }
        /**
         * Changes the content of the catalog. Listens on a separate port and requires a
         * named admin token. Its name is recorded as the author of every change.
         */
        CatalogAdmin: SubtypeConstructor<typeof grpc.Client, _sluice_catalog_v1_CatalogAdminClient> & { service: _sluice_catalog_v1_CatalogAdminDefinition }
        /**
         * What people do in the web console. Served on the admin port if CONSOLE_KEYS is set. The metadata of each call has
         * `authorization: Bearer JWT`, an assertion that the console signs (EdDSA) for this call only. Its claims:
         * aud   sluice-catalog
         * call  the name of the method, such as CreateApiKey
         * sub   the account; absent in SignIn, RedeemSignInLink and DescribeInvitation
         * gen   the session generation of the account's cookie; absent without sub
         * iat, exp  seconds; at most 60 apart
         * The catalog decides every call by the account's state and role. If it refuses one, the trailing metadata
         * x-sluice-reason says why, in one word for programs.
         */
        CatalogConsole: SubtypeConstructor<typeof grpc.Client, _sluice_catalog_v1_CatalogConsoleClient> & { service: _sluice_catalog_v1_CatalogConsoleDefinition }
        CompleteOnboardingRequest: MessageTypeDefinition<_sluice_catalog_v1_CompleteOnboardingRequestInput, _sluice_catalog_v1_CompleteOnboardingRequest>
        CreateApiKeyReply: MessageTypeDefinition<_sluice_catalog_v1_CreateApiKeyReplyInput, _sluice_catalog_v1_CreateApiKeyReply>
        CreateApiKeyRequest: MessageTypeDefinition<_sluice_catalog_v1_CreateApiKeyRequestInput, _sluice_catalog_v1_CreateApiKeyRequest>
        CreateInvitationReply: MessageTypeDefinition<_sluice_catalog_v1_CreateInvitationReplyInput, _sluice_catalog_v1_CreateInvitationReply>
        CreateInvitationRequest: MessageTypeDefinition<_sluice_catalog_v1_CreateInvitationRequestInput, _sluice_catalog_v1_CreateInvitationRequest>
        CreateOwnApiKeyReply: MessageTypeDefinition<_sluice_catalog_v1_CreateOwnApiKeyReplyInput, _sluice_catalog_v1_CreateOwnApiKeyReply>
        CreateOwnApiKeyRequest: MessageTypeDefinition<_sluice_catalog_v1_CreateOwnApiKeyRequestInput, _sluice_catalog_v1_CreateOwnApiKeyRequest>
        CreateProjectRequest: MessageTypeDefinition<_sluice_catalog_v1_CreateProjectRequestInput, _sluice_catalog_v1_CreateProjectRequest>
        CreateSignInLinkReply: MessageTypeDefinition<_sluice_catalog_v1_CreateSignInLinkReplyInput, _sluice_catalog_v1_CreateSignInLinkReply>
        CreateSignInLinkRequest: MessageTypeDefinition<_sluice_catalog_v1_CreateSignInLinkRequestInput, _sluice_catalog_v1_CreateSignInLinkRequest>
        CredentialKind: EnumTypeDefinition
        DeleteOrganizationRequest: MessageTypeDefinition<_sluice_catalog_v1_DeleteOrganizationRequestInput, _sluice_catalog_v1_DeleteOrganizationRequest>
        DeleteProjectRequest: MessageTypeDefinition<_sluice_catalog_v1_DeleteProjectRequestInput, _sluice_catalog_v1_DeleteProjectRequest>
        Deleted: MessageTypeDefinition<_sluice_catalog_v1_DeletedInput, _sluice_catalog_v1_Deleted>
        DescribeInvitationRequest: MessageTypeDefinition<_sluice_catalog_v1_DescribeInvitationRequestInput, _sluice_catalog_v1_DescribeInvitationRequest>
        EndSessionsRequest: MessageTypeDefinition<_sluice_catalog_v1_EndSessionsRequestInput, _sluice_catalog_v1_EndSessionsRequest>
        EraseAccountReply: MessageTypeDefinition<_sluice_catalog_v1_EraseAccountReplyInput, _sluice_catalog_v1_EraseAccountReply>
        EraseAccountRequest: MessageTypeDefinition<_sluice_catalog_v1_EraseAccountRequestInput, _sluice_catalog_v1_EraseAccountRequest>
        EraseOwnAccountRequest: MessageTypeDefinition<_sluice_catalog_v1_EraseOwnAccountRequestInput, _sluice_catalog_v1_EraseOwnAccountRequest>
        ExportOwnDataRequest: MessageTypeDefinition<_sluice_catalog_v1_ExportOwnDataRequestInput, _sluice_catalog_v1_ExportOwnDataRequest>
        ExportPersonalDataReply: MessageTypeDefinition<_sluice_catalog_v1_ExportPersonalDataReplyInput, _sluice_catalog_v1_ExportPersonalDataReply>
        ExportPersonalDataRequest: MessageTypeDefinition<_sluice_catalog_v1_ExportPersonalDataRequestInput, _sluice_catalog_v1_ExportPersonalDataRequest>
        GetLimitsReply: MessageTypeDefinition<_sluice_catalog_v1_GetLimitsReplyInput, _sluice_catalog_v1_GetLimitsReply>
        GetLimitsRequest: MessageTypeDefinition<_sluice_catalog_v1_GetLimitsRequestInput, _sluice_catalog_v1_GetLimitsRequest>
        GetOrganizationRequest: MessageTypeDefinition<_sluice_catalog_v1_GetOrganizationRequestInput, _sluice_catalog_v1_GetOrganizationRequest>
        InvitationDescription: MessageTypeDefinition<_sluice_catalog_v1_InvitationDescriptionInput, _sluice_catalog_v1_InvitationDescription>
        InvitationDetails: MessageTypeDefinition<_sluice_catalog_v1_InvitationDetailsInput, _sluice_catalog_v1_InvitationDetails>
        IssueOwnPlaygroundTokenRequest: MessageTypeDefinition<_sluice_catalog_v1_IssueOwnPlaygroundTokenRequestInput, _sluice_catalog_v1_IssueOwnPlaygroundTokenRequest>
        IssuePlaygroundTokenReply: MessageTypeDefinition<_sluice_catalog_v1_IssuePlaygroundTokenReplyInput, _sluice_catalog_v1_IssuePlaygroundTokenReply>
        IssuePlaygroundTokenRequest: MessageTypeDefinition<_sluice_catalog_v1_IssuePlaygroundTokenRequestInput, _sluice_catalog_v1_IssuePlaygroundTokenRequest>
        Limits: MessageTypeDefinition<_sluice_catalog_v1_LimitsInput, _sluice_catalog_v1_Limits>
        ListAccountsReply: MessageTypeDefinition<_sluice_catalog_v1_ListAccountsReplyInput, _sluice_catalog_v1_ListAccountsReply>
        ListAccountsRequest: MessageTypeDefinition<_sluice_catalog_v1_ListAccountsRequestInput, _sluice_catalog_v1_ListAccountsRequest>
        ListApiKeysReply: MessageTypeDefinition<_sluice_catalog_v1_ListApiKeysReplyInput, _sluice_catalog_v1_ListApiKeysReply>
        ListApiKeysRequest: MessageTypeDefinition<_sluice_catalog_v1_ListApiKeysRequestInput, _sluice_catalog_v1_ListApiKeysRequest>
        ListAuditReply: MessageTypeDefinition<_sluice_catalog_v1_ListAuditReplyInput, _sluice_catalog_v1_ListAuditReply>
        ListAuditRequest: MessageTypeDefinition<_sluice_catalog_v1_ListAuditRequestInput, _sluice_catalog_v1_ListAuditRequest>
        ListInvitationsReply: MessageTypeDefinition<_sluice_catalog_v1_ListInvitationsReplyInput, _sluice_catalog_v1_ListInvitationsReply>
        ListInvitationsRequest: MessageTypeDefinition<_sluice_catalog_v1_ListInvitationsRequestInput, _sluice_catalog_v1_ListInvitationsRequest>
        ListMembersReply: MessageTypeDefinition<_sluice_catalog_v1_ListMembersReplyInput, _sluice_catalog_v1_ListMembersReply>
        ListMembersRequest: MessageTypeDefinition<_sluice_catalog_v1_ListMembersRequestInput, _sluice_catalog_v1_ListMembersRequest>
        ListModelsReply: MessageTypeDefinition<_sluice_catalog_v1_ListModelsReplyInput, _sluice_catalog_v1_ListModelsReply>
        ListModelsRequest: MessageTypeDefinition<_sluice_catalog_v1_ListModelsRequestInput, _sluice_catalog_v1_ListModelsRequest>
        ListOfferedModelsReply: MessageTypeDefinition<_sluice_catalog_v1_ListOfferedModelsReplyInput, _sluice_catalog_v1_ListOfferedModelsReply>
        ListOfferedModelsRequest: MessageTypeDefinition<_sluice_catalog_v1_ListOfferedModelsRequestInput, _sluice_catalog_v1_ListOfferedModelsRequest>
        ListOrganizationsReply: MessageTypeDefinition<_sluice_catalog_v1_ListOrganizationsReplyInput, _sluice_catalog_v1_ListOrganizationsReply>
        ListOrganizationsRequest: MessageTypeDefinition<_sluice_catalog_v1_ListOrganizationsRequestInput, _sluice_catalog_v1_ListOrganizationsRequest>
        ListPlatformResourcesReply: MessageTypeDefinition<_sluice_catalog_v1_ListPlatformResourcesReplyInput, _sluice_catalog_v1_ListPlatformResourcesReply>
        ListPlatformResourcesRequest: MessageTypeDefinition<_sluice_catalog_v1_ListPlatformResourcesRequestInput, _sluice_catalog_v1_ListPlatformResourcesRequest>
        ListProjectsReply: MessageTypeDefinition<_sluice_catalog_v1_ListProjectsReplyInput, _sluice_catalog_v1_ListProjectsReply>
        ListProjectsRequest: MessageTypeDefinition<_sluice_catalog_v1_ListProjectsRequestInput, _sluice_catalog_v1_ListProjectsRequest>
        ListResourcesReply: MessageTypeDefinition<_sluice_catalog_v1_ListResourcesReplyInput, _sluice_catalog_v1_ListResourcesReply>
        ListResourcesRequest: MessageTypeDefinition<_sluice_catalog_v1_ListResourcesRequestInput, _sluice_catalog_v1_ListResourcesRequest>
        MemberDetails: MessageTypeDefinition<_sluice_catalog_v1_MemberDetailsInput, _sluice_catalog_v1_MemberDetails>
        Membership: MessageTypeDefinition<_sluice_catalog_v1_MembershipInput, _sluice_catalog_v1_Membership>
        Model: MessageTypeDefinition<_sluice_catalog_v1_ModelInput, _sluice_catalog_v1_Model>
        ModelTarget: MessageTypeDefinition<_sluice_catalog_v1_ModelTargetInput, _sluice_catalog_v1_ModelTarget>
        OfferedModel: MessageTypeDefinition<_sluice_catalog_v1_OfferedModelInput, _sluice_catalog_v1_OfferedModel>
        OrganizationDetails: MessageTypeDefinition<_sluice_catalog_v1_OrganizationDetailsInput, _sluice_catalog_v1_OrganizationDetails>
        OrganizationSummary: MessageTypeDefinition<_sluice_catalog_v1_OrganizationSummaryInput, _sluice_catalog_v1_OrganizationSummary>
        Principal: MessageTypeDefinition<_sluice_catalog_v1_PrincipalInput, _sluice_catalog_v1_Principal>
        ProjectDetails: MessageTypeDefinition<_sluice_catalog_v1_ProjectDetailsInput, _sluice_catalog_v1_ProjectDetails>
        Reasoning: MessageTypeDefinition<_sluice_catalog_v1_ReasoningInput, _sluice_catalog_v1_Reasoning>
        RedeemSignInLinkRequest: MessageTypeDefinition<_sluice_catalog_v1_RedeemSignInLinkRequestInput, _sluice_catalog_v1_RedeemSignInLinkRequest>
        RemoveMemberRequest: MessageTypeDefinition<_sluice_catalog_v1_RemoveMemberRequestInput, _sluice_catalog_v1_RemoveMemberRequest>
        RenameProjectRequest: MessageTypeDefinition<_sluice_catalog_v1_RenameProjectRequestInput, _sluice_catalog_v1_RenameProjectRequest>
        ResolveCredentialReply: MessageTypeDefinition<_sluice_catalog_v1_ResolveCredentialReplyInput, _sluice_catalog_v1_ResolveCredentialReply>
        ResolveCredentialRequest: MessageTypeDefinition<_sluice_catalog_v1_ResolveCredentialRequestInput, _sluice_catalog_v1_ResolveCredentialRequest>
        Resource: MessageTypeDefinition<_sluice_catalog_v1_ResourceInput, _sluice_catalog_v1_Resource>
        ResourceReference: MessageTypeDefinition<_sluice_catalog_v1_ResourceReferenceInput, _sluice_catalog_v1_ResourceReference>
        RevokeApiKeyRequest: MessageTypeDefinition<_sluice_catalog_v1_RevokeApiKeyRequestInput, _sluice_catalog_v1_RevokeApiKeyRequest>
        RevokeInvitationRequest: MessageTypeDefinition<_sluice_catalog_v1_RevokeInvitationRequestInput, _sluice_catalog_v1_RevokeInvitationRequest>
        RevokeOrganizationApiKeyRequest: MessageTypeDefinition<_sluice_catalog_v1_RevokeOrganizationApiKeyRequestInput, _sluice_catalog_v1_RevokeOrganizationApiKeyRequest>
        SetAccountAccessRequest: MessageTypeDefinition<_sluice_catalog_v1_SetAccountAccessRequestInput, _sluice_catalog_v1_SetAccountAccessRequest>
        SetAccountRestrictedRequest: MessageTypeDefinition<_sluice_catalog_v1_SetAccountRestrictedRequestInput, _sluice_catalog_v1_SetAccountRestrictedRequest>
        SetMemberRoleRequest: MessageTypeDefinition<_sluice_catalog_v1_SetMemberRoleRequestInput, _sluice_catalog_v1_SetMemberRoleRequest>
        SetOperatorRequest: MessageTypeDefinition<_sluice_catalog_v1_SetOperatorRequestInput, _sluice_catalog_v1_SetOperatorRequest>
        SignInRequest: MessageTypeDefinition<_sluice_catalog_v1_SignInRequestInput, _sluice_catalog_v1_SignInRequest>
        SignOutReply: MessageTypeDefinition<_sluice_catalog_v1_SignOutReplyInput, _sluice_catalog_v1_SignOutReply>
        SignOutRequest: MessageTypeDefinition<_sluice_catalog_v1_SignOutRequestInput, _sluice_catalog_v1_SignOutRequest>
        SignedIn: MessageTypeDefinition<_sluice_catalog_v1_SignedInInput, _sluice_catalog_v1_SignedIn>
        StorePosition: MessageTypeDefinition<_sluice_catalog_v1_StorePositionInput, _sluice_catalog_v1_StorePosition>
        UpdateOrganizationReply: MessageTypeDefinition<_sluice_catalog_v1_UpdateOrganizationReplyInput, _sluice_catalog_v1_UpdateOrganizationReply>
        UpdateOrganizationRequest: MessageTypeDefinition<_sluice_catalog_v1_UpdateOrganizationRequestInput, _sluice_catalog_v1_UpdateOrganizationRequest>
        Webhook: MessageTypeDefinition<_sluice_catalog_v1_WebhookInput, _sluice_catalog_v1_Webhook>
        WebhookList: MessageTypeDefinition<_sluice_catalog_v1_WebhookListInput, _sluice_catalog_v1_WebhookList>
        WebhookSecret: MessageTypeDefinition<_sluice_catalog_v1_WebhookSecretInput, _sluice_catalog_v1_WebhookSecret>
        WhoAmIReply: MessageTypeDefinition<_sluice_catalog_v1_WhoAmIReplyInput, _sluice_catalog_v1_WhoAmIReply>
        WhoAmIRequest: MessageTypeDefinition<_sluice_catalog_v1_WhoAmIRequestInput, _sluice_catalog_v1_WhoAmIRequest>
      }
    }
  }
}

