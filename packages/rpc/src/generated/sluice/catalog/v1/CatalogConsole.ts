// Original file: proto/catalog/v1/console.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { AcceptInvitationReplyInput as _sluice_catalog_v1_AcceptInvitationReplyInput, AcceptInvitationReply as _sluice_catalog_v1_AcceptInvitationReply } from '../../../sluice/catalog/v1/AcceptInvitationReply.ts';
import type { AcceptInvitationRequestInput as _sluice_catalog_v1_AcceptInvitationRequestInput, AcceptInvitationRequest as _sluice_catalog_v1_AcceptInvitationRequest } from '../../../sluice/catalog/v1/AcceptInvitationRequest.ts';
import type { AccountDetailsInput as _sluice_catalog_v1_AccountDetailsInput, AccountDetails as _sluice_catalog_v1_AccountDetails } from '../../../sluice/catalog/v1/AccountDetails.ts';
import type { ApiKeyDetailsInput as _sluice_catalog_v1_ApiKeyDetailsInput, ApiKeyDetails as _sluice_catalog_v1_ApiKeyDetails } from '../../../sluice/catalog/v1/ApiKeyDetails.ts';
import type { AuthorizeReplyInput as _sluice_catalog_v1_AuthorizeReplyInput, AuthorizeReply as _sluice_catalog_v1_AuthorizeReply } from '../../../sluice/catalog/v1/AuthorizeReply.ts';
import type { AuthorizeRequestInput as _sluice_catalog_v1_AuthorizeRequestInput, AuthorizeRequest as _sluice_catalog_v1_AuthorizeRequest } from '../../../sluice/catalog/v1/AuthorizeRequest.ts';
import type { CompleteOnboardingRequestInput as _sluice_catalog_v1_CompleteOnboardingRequestInput, CompleteOnboardingRequest as _sluice_catalog_v1_CompleteOnboardingRequest } from '../../../sluice/catalog/v1/CompleteOnboardingRequest.ts';
import type { CreateInvitationReplyInput as _sluice_catalog_v1_CreateInvitationReplyInput, CreateInvitationReply as _sluice_catalog_v1_CreateInvitationReply } from '../../../sluice/catalog/v1/CreateInvitationReply.ts';
import type { CreateInvitationRequestInput as _sluice_catalog_v1_CreateInvitationRequestInput, CreateInvitationRequest as _sluice_catalog_v1_CreateInvitationRequest } from '../../../sluice/catalog/v1/CreateInvitationRequest.ts';
import type { CreateOwnApiKeyReplyInput as _sluice_catalog_v1_CreateOwnApiKeyReplyInput, CreateOwnApiKeyReply as _sluice_catalog_v1_CreateOwnApiKeyReply } from '../../../sluice/catalog/v1/CreateOwnApiKeyReply.ts';
import type { CreateOwnApiKeyRequestInput as _sluice_catalog_v1_CreateOwnApiKeyRequestInput, CreateOwnApiKeyRequest as _sluice_catalog_v1_CreateOwnApiKeyRequest } from '../../../sluice/catalog/v1/CreateOwnApiKeyRequest.ts';
import type { CreateProjectRequestInput as _sluice_catalog_v1_CreateProjectRequestInput, CreateProjectRequest as _sluice_catalog_v1_CreateProjectRequest } from '../../../sluice/catalog/v1/CreateProjectRequest.ts';
import type { DeleteOrganizationRequestInput as _sluice_catalog_v1_DeleteOrganizationRequestInput, DeleteOrganizationRequest as _sluice_catalog_v1_DeleteOrganizationRequest } from '../../../sluice/catalog/v1/DeleteOrganizationRequest.ts';
import type { DeleteProjectRequestInput as _sluice_catalog_v1_DeleteProjectRequestInput, DeleteProjectRequest as _sluice_catalog_v1_DeleteProjectRequest } from '../../../sluice/catalog/v1/DeleteProjectRequest.ts';
import type { DeletedInput as _sluice_catalog_v1_DeletedInput, Deleted as _sluice_catalog_v1_Deleted } from '../../../sluice/catalog/v1/Deleted.ts';
import type { DescribeInvitationRequestInput as _sluice_catalog_v1_DescribeInvitationRequestInput, DescribeInvitationRequest as _sluice_catalog_v1_DescribeInvitationRequest } from '../../../sluice/catalog/v1/DescribeInvitationRequest.ts';
import type { EndSessionsRequestInput as _sluice_catalog_v1_EndSessionsRequestInput, EndSessionsRequest as _sluice_catalog_v1_EndSessionsRequest } from '../../../sluice/catalog/v1/EndSessionsRequest.ts';
import type { EraseAccountReplyInput as _sluice_catalog_v1_EraseAccountReplyInput, EraseAccountReply as _sluice_catalog_v1_EraseAccountReply } from '../../../sluice/catalog/v1/EraseAccountReply.ts';
import type { EraseAccountRequestInput as _sluice_catalog_v1_EraseAccountRequestInput, EraseAccountRequest as _sluice_catalog_v1_EraseAccountRequest } from '../../../sluice/catalog/v1/EraseAccountRequest.ts';
import type { EraseOwnAccountRequestInput as _sluice_catalog_v1_EraseOwnAccountRequestInput, EraseOwnAccountRequest as _sluice_catalog_v1_EraseOwnAccountRequest } from '../../../sluice/catalog/v1/EraseOwnAccountRequest.ts';
import type { ExportOwnDataRequestInput as _sluice_catalog_v1_ExportOwnDataRequestInput, ExportOwnDataRequest as _sluice_catalog_v1_ExportOwnDataRequest } from '../../../sluice/catalog/v1/ExportOwnDataRequest.ts';
import type { ExportPersonalDataReplyInput as _sluice_catalog_v1_ExportPersonalDataReplyInput, ExportPersonalDataReply as _sluice_catalog_v1_ExportPersonalDataReply } from '../../../sluice/catalog/v1/ExportPersonalDataReply.ts';
import type { ExportPersonalDataRequestInput as _sluice_catalog_v1_ExportPersonalDataRequestInput, ExportPersonalDataRequest as _sluice_catalog_v1_ExportPersonalDataRequest } from '../../../sluice/catalog/v1/ExportPersonalDataRequest.ts';
import type { GetLimitsReplyInput as _sluice_catalog_v1_GetLimitsReplyInput, GetLimitsReply as _sluice_catalog_v1_GetLimitsReply } from '../../../sluice/catalog/v1/GetLimitsReply.ts';
import type { GetLimitsRequestInput as _sluice_catalog_v1_GetLimitsRequestInput, GetLimitsRequest as _sluice_catalog_v1_GetLimitsRequest } from '../../../sluice/catalog/v1/GetLimitsRequest.ts';
import type { GetOrganizationRequestInput as _sluice_catalog_v1_GetOrganizationRequestInput, GetOrganizationRequest as _sluice_catalog_v1_GetOrganizationRequest } from '../../../sluice/catalog/v1/GetOrganizationRequest.ts';
import type { InvitationDescriptionInput as _sluice_catalog_v1_InvitationDescriptionInput, InvitationDescription as _sluice_catalog_v1_InvitationDescription } from '../../../sluice/catalog/v1/InvitationDescription.ts';
import type { IssueOwnPlaygroundTokenRequestInput as _sluice_catalog_v1_IssueOwnPlaygroundTokenRequestInput, IssueOwnPlaygroundTokenRequest as _sluice_catalog_v1_IssueOwnPlaygroundTokenRequest } from '../../../sluice/catalog/v1/IssueOwnPlaygroundTokenRequest.ts';
import type { IssuePlaygroundTokenReplyInput as _sluice_catalog_v1_IssuePlaygroundTokenReplyInput, IssuePlaygroundTokenReply as _sluice_catalog_v1_IssuePlaygroundTokenReply } from '../../../sluice/catalog/v1/IssuePlaygroundTokenReply.ts';
import type { ListAccountsReplyInput as _sluice_catalog_v1_ListAccountsReplyInput, ListAccountsReply as _sluice_catalog_v1_ListAccountsReply } from '../../../sluice/catalog/v1/ListAccountsReply.ts';
import type { ListAccountsRequestInput as _sluice_catalog_v1_ListAccountsRequestInput, ListAccountsRequest as _sluice_catalog_v1_ListAccountsRequest } from '../../../sluice/catalog/v1/ListAccountsRequest.ts';
import type { ListApiKeysReplyInput as _sluice_catalog_v1_ListApiKeysReplyInput, ListApiKeysReply as _sluice_catalog_v1_ListApiKeysReply } from '../../../sluice/catalog/v1/ListApiKeysReply.ts';
import type { ListApiKeysRequestInput as _sluice_catalog_v1_ListApiKeysRequestInput, ListApiKeysRequest as _sluice_catalog_v1_ListApiKeysRequest } from '../../../sluice/catalog/v1/ListApiKeysRequest.ts';
import type { ListAuditReplyInput as _sluice_catalog_v1_ListAuditReplyInput, ListAuditReply as _sluice_catalog_v1_ListAuditReply } from '../../../sluice/catalog/v1/ListAuditReply.ts';
import type { ListAuditRequestInput as _sluice_catalog_v1_ListAuditRequestInput, ListAuditRequest as _sluice_catalog_v1_ListAuditRequest } from '../../../sluice/catalog/v1/ListAuditRequest.ts';
import type { ListInvitationsReplyInput as _sluice_catalog_v1_ListInvitationsReplyInput, ListInvitationsReply as _sluice_catalog_v1_ListInvitationsReply } from '../../../sluice/catalog/v1/ListInvitationsReply.ts';
import type { ListInvitationsRequestInput as _sluice_catalog_v1_ListInvitationsRequestInput, ListInvitationsRequest as _sluice_catalog_v1_ListInvitationsRequest } from '../../../sluice/catalog/v1/ListInvitationsRequest.ts';
import type { ListMembersReplyInput as _sluice_catalog_v1_ListMembersReplyInput, ListMembersReply as _sluice_catalog_v1_ListMembersReply } from '../../../sluice/catalog/v1/ListMembersReply.ts';
import type { ListMembersRequestInput as _sluice_catalog_v1_ListMembersRequestInput, ListMembersRequest as _sluice_catalog_v1_ListMembersRequest } from '../../../sluice/catalog/v1/ListMembersRequest.ts';
import type { ListOfferedModelsReplyInput as _sluice_catalog_v1_ListOfferedModelsReplyInput, ListOfferedModelsReply as _sluice_catalog_v1_ListOfferedModelsReply } from '../../../sluice/catalog/v1/ListOfferedModelsReply.ts';
import type { ListOfferedModelsRequestInput as _sluice_catalog_v1_ListOfferedModelsRequestInput, ListOfferedModelsRequest as _sluice_catalog_v1_ListOfferedModelsRequest } from '../../../sluice/catalog/v1/ListOfferedModelsRequest.ts';
import type { ListOrganizationsReplyInput as _sluice_catalog_v1_ListOrganizationsReplyInput, ListOrganizationsReply as _sluice_catalog_v1_ListOrganizationsReply } from '../../../sluice/catalog/v1/ListOrganizationsReply.ts';
import type { ListOrganizationsRequestInput as _sluice_catalog_v1_ListOrganizationsRequestInput, ListOrganizationsRequest as _sluice_catalog_v1_ListOrganizationsRequest } from '../../../sluice/catalog/v1/ListOrganizationsRequest.ts';
import type { ListPlatformResourcesReplyInput as _sluice_catalog_v1_ListPlatformResourcesReplyInput, ListPlatformResourcesReply as _sluice_catalog_v1_ListPlatformResourcesReply } from '../../../sluice/catalog/v1/ListPlatformResourcesReply.ts';
import type { ListPlatformResourcesRequestInput as _sluice_catalog_v1_ListPlatformResourcesRequestInput, ListPlatformResourcesRequest as _sluice_catalog_v1_ListPlatformResourcesRequest } from '../../../sluice/catalog/v1/ListPlatformResourcesRequest.ts';
import type { ListProjectsReplyInput as _sluice_catalog_v1_ListProjectsReplyInput, ListProjectsReply as _sluice_catalog_v1_ListProjectsReply } from '../../../sluice/catalog/v1/ListProjectsReply.ts';
import type { ListProjectsRequestInput as _sluice_catalog_v1_ListProjectsRequestInput, ListProjectsRequest as _sluice_catalog_v1_ListProjectsRequest } from '../../../sluice/catalog/v1/ListProjectsRequest.ts';
import type { MemberDetailsInput as _sluice_catalog_v1_MemberDetailsInput, MemberDetails as _sluice_catalog_v1_MemberDetails } from '../../../sluice/catalog/v1/MemberDetails.ts';
import type { OrganizationDetailsInput as _sluice_catalog_v1_OrganizationDetailsInput, OrganizationDetails as _sluice_catalog_v1_OrganizationDetails } from '../../../sluice/catalog/v1/OrganizationDetails.ts';
import type { ProjectDetailsInput as _sluice_catalog_v1_ProjectDetailsInput, ProjectDetails as _sluice_catalog_v1_ProjectDetails } from '../../../sluice/catalog/v1/ProjectDetails.ts';
import type { RedeemSignInLinkRequestInput as _sluice_catalog_v1_RedeemSignInLinkRequestInput, RedeemSignInLinkRequest as _sluice_catalog_v1_RedeemSignInLinkRequest } from '../../../sluice/catalog/v1/RedeemSignInLinkRequest.ts';
import type { RemoveMemberRequestInput as _sluice_catalog_v1_RemoveMemberRequestInput, RemoveMemberRequest as _sluice_catalog_v1_RemoveMemberRequest } from '../../../sluice/catalog/v1/RemoveMemberRequest.ts';
import type { RenameProjectRequestInput as _sluice_catalog_v1_RenameProjectRequestInput, RenameProjectRequest as _sluice_catalog_v1_RenameProjectRequest } from '../../../sluice/catalog/v1/RenameProjectRequest.ts';
import type { ResourceInput as _sluice_catalog_v1_ResourceInput, Resource as _sluice_catalog_v1_Resource } from '../../../sluice/catalog/v1/Resource.ts';
import type { ResourceReferenceInput as _sluice_catalog_v1_ResourceReferenceInput, ResourceReference as _sluice_catalog_v1_ResourceReference } from '../../../sluice/catalog/v1/ResourceReference.ts';
import type { RevokeInvitationRequestInput as _sluice_catalog_v1_RevokeInvitationRequestInput, RevokeInvitationRequest as _sluice_catalog_v1_RevokeInvitationRequest } from '../../../sluice/catalog/v1/RevokeInvitationRequest.ts';
import type { RevokeOrganizationApiKeyRequestInput as _sluice_catalog_v1_RevokeOrganizationApiKeyRequestInput, RevokeOrganizationApiKeyRequest as _sluice_catalog_v1_RevokeOrganizationApiKeyRequest } from '../../../sluice/catalog/v1/RevokeOrganizationApiKeyRequest.ts';
import type { SetAccountAccessRequestInput as _sluice_catalog_v1_SetAccountAccessRequestInput, SetAccountAccessRequest as _sluice_catalog_v1_SetAccountAccessRequest } from '../../../sluice/catalog/v1/SetAccountAccessRequest.ts';
import type { SetAccountRestrictedRequestInput as _sluice_catalog_v1_SetAccountRestrictedRequestInput, SetAccountRestrictedRequest as _sluice_catalog_v1_SetAccountRestrictedRequest } from '../../../sluice/catalog/v1/SetAccountRestrictedRequest.ts';
import type { SetMemberRoleRequestInput as _sluice_catalog_v1_SetMemberRoleRequestInput, SetMemberRoleRequest as _sluice_catalog_v1_SetMemberRoleRequest } from '../../../sluice/catalog/v1/SetMemberRoleRequest.ts';
import type { SetOperatorRequestInput as _sluice_catalog_v1_SetOperatorRequestInput, SetOperatorRequest as _sluice_catalog_v1_SetOperatorRequest } from '../../../sluice/catalog/v1/SetOperatorRequest.ts';
import type { SignInRequestInput as _sluice_catalog_v1_SignInRequestInput, SignInRequest as _sluice_catalog_v1_SignInRequest } from '../../../sluice/catalog/v1/SignInRequest.ts';
import type { SignOutReplyInput as _sluice_catalog_v1_SignOutReplyInput, SignOutReply as _sluice_catalog_v1_SignOutReply } from '../../../sluice/catalog/v1/SignOutReply.ts';
import type { SignOutRequestInput as _sluice_catalog_v1_SignOutRequestInput, SignOutRequest as _sluice_catalog_v1_SignOutRequest } from '../../../sluice/catalog/v1/SignOutRequest.ts';
import type { SignedInInput as _sluice_catalog_v1_SignedInInput, SignedIn as _sluice_catalog_v1_SignedIn } from '../../../sluice/catalog/v1/SignedIn.ts';
import type { UpdateOrganizationReplyInput as _sluice_catalog_v1_UpdateOrganizationReplyInput, UpdateOrganizationReply as _sluice_catalog_v1_UpdateOrganizationReply } from '../../../sluice/catalog/v1/UpdateOrganizationReply.ts';
import type { UpdateOrganizationRequestInput as _sluice_catalog_v1_UpdateOrganizationRequestInput, UpdateOrganizationRequest as _sluice_catalog_v1_UpdateOrganizationRequest } from '../../../sluice/catalog/v1/UpdateOrganizationRequest.ts';
import type { WhoAmIReplyInput as _sluice_catalog_v1_WhoAmIReplyInput, WhoAmIReply as _sluice_catalog_v1_WhoAmIReply } from '../../../sluice/catalog/v1/WhoAmIReply.ts';
import type { WhoAmIRequestInput as _sluice_catalog_v1_WhoAmIRequestInput, WhoAmIRequest as _sluice_catalog_v1_WhoAmIRequest } from '../../../sluice/catalog/v1/WhoAmIRequest.ts';

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
export interface CatalogConsoleClient extends grpc.Client {
  /**
   * Also completes onboarding, if the terms are accepted.
   */
  AcceptInvitation(argument: _sluice_catalog_v1_AcceptInvitationRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_AcceptInvitationReply>): grpc.ClientUnaryCall;
  AcceptInvitation(argument: _sluice_catalog_v1_AcceptInvitationRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_AcceptInvitationReply>): grpc.ClientUnaryCall;
  AcceptInvitation(argument: _sluice_catalog_v1_AcceptInvitationRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_AcceptInvitationReply>): grpc.ClientUnaryCall;
  AcceptInvitation(argument: _sluice_catalog_v1_AcceptInvitationRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_AcceptInvitationReply>): grpc.ClientUnaryCall;
  /**
   * Also completes onboarding, if the terms are accepted.
   */
  acceptInvitation(argument: _sluice_catalog_v1_AcceptInvitationRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_AcceptInvitationReply>): grpc.ClientUnaryCall;
  acceptInvitation(argument: _sluice_catalog_v1_AcceptInvitationRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_AcceptInvitationReply>): grpc.ClientUnaryCall;
  acceptInvitation(argument: _sluice_catalog_v1_AcceptInvitationRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_AcceptInvitationReply>): grpc.ClientUnaryCall;
  acceptInvitation(argument: _sluice_catalog_v1_AcceptInvitationRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_AcceptInvitationReply>): grpc.ClientUnaryCall;
  
  /**
   * Whether the account may do something for which the console then calls another service, such as usage.
   */
  Authorize(argument: _sluice_catalog_v1_AuthorizeRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_AuthorizeReply>): grpc.ClientUnaryCall;
  Authorize(argument: _sluice_catalog_v1_AuthorizeRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_AuthorizeReply>): grpc.ClientUnaryCall;
  Authorize(argument: _sluice_catalog_v1_AuthorizeRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_AuthorizeReply>): grpc.ClientUnaryCall;
  Authorize(argument: _sluice_catalog_v1_AuthorizeRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_AuthorizeReply>): grpc.ClientUnaryCall;
  /**
   * Whether the account may do something for which the console then calls another service, such as usage.
   */
  authorize(argument: _sluice_catalog_v1_AuthorizeRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_AuthorizeReply>): grpc.ClientUnaryCall;
  authorize(argument: _sluice_catalog_v1_AuthorizeRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_AuthorizeReply>): grpc.ClientUnaryCall;
  authorize(argument: _sluice_catalog_v1_AuthorizeRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_AuthorizeReply>): grpc.ClientUnaryCall;
  authorize(argument: _sluice_catalog_v1_AuthorizeRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_AuthorizeReply>): grpc.ClientUnaryCall;
  
  CompleteOnboarding(argument: _sluice_catalog_v1_CompleteOnboardingRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_WhoAmIReply>): grpc.ClientUnaryCall;
  CompleteOnboarding(argument: _sluice_catalog_v1_CompleteOnboardingRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_WhoAmIReply>): grpc.ClientUnaryCall;
  CompleteOnboarding(argument: _sluice_catalog_v1_CompleteOnboardingRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_WhoAmIReply>): grpc.ClientUnaryCall;
  CompleteOnboarding(argument: _sluice_catalog_v1_CompleteOnboardingRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_WhoAmIReply>): grpc.ClientUnaryCall;
  completeOnboarding(argument: _sluice_catalog_v1_CompleteOnboardingRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_WhoAmIReply>): grpc.ClientUnaryCall;
  completeOnboarding(argument: _sluice_catalog_v1_CompleteOnboardingRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_WhoAmIReply>): grpc.ClientUnaryCall;
  completeOnboarding(argument: _sluice_catalog_v1_CompleteOnboardingRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_WhoAmIReply>): grpc.ClientUnaryCall;
  completeOnboarding(argument: _sluice_catalog_v1_CompleteOnboardingRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_WhoAmIReply>): grpc.ClientUnaryCall;
  
  CreateApiKey(argument: _sluice_catalog_v1_CreateOwnApiKeyRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_CreateOwnApiKeyReply>): grpc.ClientUnaryCall;
  CreateApiKey(argument: _sluice_catalog_v1_CreateOwnApiKeyRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_CreateOwnApiKeyReply>): grpc.ClientUnaryCall;
  CreateApiKey(argument: _sluice_catalog_v1_CreateOwnApiKeyRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_CreateOwnApiKeyReply>): grpc.ClientUnaryCall;
  CreateApiKey(argument: _sluice_catalog_v1_CreateOwnApiKeyRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_CreateOwnApiKeyReply>): grpc.ClientUnaryCall;
  createApiKey(argument: _sluice_catalog_v1_CreateOwnApiKeyRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_CreateOwnApiKeyReply>): grpc.ClientUnaryCall;
  createApiKey(argument: _sluice_catalog_v1_CreateOwnApiKeyRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_CreateOwnApiKeyReply>): grpc.ClientUnaryCall;
  createApiKey(argument: _sluice_catalog_v1_CreateOwnApiKeyRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_CreateOwnApiKeyReply>): grpc.ClientUnaryCall;
  createApiKey(argument: _sluice_catalog_v1_CreateOwnApiKeyRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_CreateOwnApiKeyReply>): grpc.ClientUnaryCall;
  
  CreateInvitation(argument: _sluice_catalog_v1_CreateInvitationRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_CreateInvitationReply>): grpc.ClientUnaryCall;
  CreateInvitation(argument: _sluice_catalog_v1_CreateInvitationRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_CreateInvitationReply>): grpc.ClientUnaryCall;
  CreateInvitation(argument: _sluice_catalog_v1_CreateInvitationRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_CreateInvitationReply>): grpc.ClientUnaryCall;
  CreateInvitation(argument: _sluice_catalog_v1_CreateInvitationRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_CreateInvitationReply>): grpc.ClientUnaryCall;
  createInvitation(argument: _sluice_catalog_v1_CreateInvitationRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_CreateInvitationReply>): grpc.ClientUnaryCall;
  createInvitation(argument: _sluice_catalog_v1_CreateInvitationRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_CreateInvitationReply>): grpc.ClientUnaryCall;
  createInvitation(argument: _sluice_catalog_v1_CreateInvitationRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_CreateInvitationReply>): grpc.ClientUnaryCall;
  createInvitation(argument: _sluice_catalog_v1_CreateInvitationRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_CreateInvitationReply>): grpc.ClientUnaryCall;
  
  CreateProject(argument: _sluice_catalog_v1_CreateProjectRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ProjectDetails>): grpc.ClientUnaryCall;
  CreateProject(argument: _sluice_catalog_v1_CreateProjectRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ProjectDetails>): grpc.ClientUnaryCall;
  CreateProject(argument: _sluice_catalog_v1_CreateProjectRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ProjectDetails>): grpc.ClientUnaryCall;
  CreateProject(argument: _sluice_catalog_v1_CreateProjectRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ProjectDetails>): grpc.ClientUnaryCall;
  createProject(argument: _sluice_catalog_v1_CreateProjectRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ProjectDetails>): grpc.ClientUnaryCall;
  createProject(argument: _sluice_catalog_v1_CreateProjectRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ProjectDetails>): grpc.ClientUnaryCall;
  createProject(argument: _sluice_catalog_v1_CreateProjectRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ProjectDetails>): grpc.ClientUnaryCall;
  createProject(argument: _sluice_catalog_v1_CreateProjectRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ProjectDetails>): grpc.ClientUnaryCall;
  
  CreateResource(argument: _sluice_catalog_v1_ResourceInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  CreateResource(argument: _sluice_catalog_v1_ResourceInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  CreateResource(argument: _sluice_catalog_v1_ResourceInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  CreateResource(argument: _sluice_catalog_v1_ResourceInput, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  createResource(argument: _sluice_catalog_v1_ResourceInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  createResource(argument: _sluice_catalog_v1_ResourceInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  createResource(argument: _sluice_catalog_v1_ResourceInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  createResource(argument: _sluice_catalog_v1_ResourceInput, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  
  DeleteOrganization(argument: _sluice_catalog_v1_DeleteOrganizationRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  DeleteOrganization(argument: _sluice_catalog_v1_DeleteOrganizationRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  DeleteOrganization(argument: _sluice_catalog_v1_DeleteOrganizationRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  DeleteOrganization(argument: _sluice_catalog_v1_DeleteOrganizationRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  deleteOrganization(argument: _sluice_catalog_v1_DeleteOrganizationRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  deleteOrganization(argument: _sluice_catalog_v1_DeleteOrganizationRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  deleteOrganization(argument: _sluice_catalog_v1_DeleteOrganizationRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  deleteOrganization(argument: _sluice_catalog_v1_DeleteOrganizationRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  
  DeleteProject(argument: _sluice_catalog_v1_DeleteProjectRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  DeleteProject(argument: _sluice_catalog_v1_DeleteProjectRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  DeleteProject(argument: _sluice_catalog_v1_DeleteProjectRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  DeleteProject(argument: _sluice_catalog_v1_DeleteProjectRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  deleteProject(argument: _sluice_catalog_v1_DeleteProjectRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  deleteProject(argument: _sluice_catalog_v1_DeleteProjectRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  deleteProject(argument: _sluice_catalog_v1_DeleteProjectRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  deleteProject(argument: _sluice_catalog_v1_DeleteProjectRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  
  DeleteResource(argument: _sluice_catalog_v1_ResourceReferenceInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  DeleteResource(argument: _sluice_catalog_v1_ResourceReferenceInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  DeleteResource(argument: _sluice_catalog_v1_ResourceReferenceInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  DeleteResource(argument: _sluice_catalog_v1_ResourceReferenceInput, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  deleteResource(argument: _sluice_catalog_v1_ResourceReferenceInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  deleteResource(argument: _sluice_catalog_v1_ResourceReferenceInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  deleteResource(argument: _sluice_catalog_v1_ResourceReferenceInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  deleteResource(argument: _sluice_catalog_v1_ResourceReferenceInput, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  
  DescribeInvitation(argument: _sluice_catalog_v1_DescribeInvitationRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_InvitationDescription>): grpc.ClientUnaryCall;
  DescribeInvitation(argument: _sluice_catalog_v1_DescribeInvitationRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_InvitationDescription>): grpc.ClientUnaryCall;
  DescribeInvitation(argument: _sluice_catalog_v1_DescribeInvitationRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_InvitationDescription>): grpc.ClientUnaryCall;
  DescribeInvitation(argument: _sluice_catalog_v1_DescribeInvitationRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_InvitationDescription>): grpc.ClientUnaryCall;
  describeInvitation(argument: _sluice_catalog_v1_DescribeInvitationRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_InvitationDescription>): grpc.ClientUnaryCall;
  describeInvitation(argument: _sluice_catalog_v1_DescribeInvitationRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_InvitationDescription>): grpc.ClientUnaryCall;
  describeInvitation(argument: _sluice_catalog_v1_DescribeInvitationRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_InvitationDescription>): grpc.ClientUnaryCall;
  describeInvitation(argument: _sluice_catalog_v1_DescribeInvitationRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_InvitationDescription>): grpc.ClientUnaryCall;
  
  EndSessions(argument: _sluice_catalog_v1_EndSessionsRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  EndSessions(argument: _sluice_catalog_v1_EndSessionsRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  EndSessions(argument: _sluice_catalog_v1_EndSessionsRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  EndSessions(argument: _sluice_catalog_v1_EndSessionsRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  endSessions(argument: _sluice_catalog_v1_EndSessionsRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  endSessions(argument: _sluice_catalog_v1_EndSessionsRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  endSessions(argument: _sluice_catalog_v1_EndSessionsRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  endSessions(argument: _sluice_catalog_v1_EndSessionsRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  
  /**
   * Deletes the account and everything that belongs only to it, with the history in the store.
   */
  EraseAccount(argument: _sluice_catalog_v1_EraseAccountRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_EraseAccountReply>): grpc.ClientUnaryCall;
  EraseAccount(argument: _sluice_catalog_v1_EraseAccountRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_EraseAccountReply>): grpc.ClientUnaryCall;
  EraseAccount(argument: _sluice_catalog_v1_EraseAccountRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_EraseAccountReply>): grpc.ClientUnaryCall;
  EraseAccount(argument: _sluice_catalog_v1_EraseAccountRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_EraseAccountReply>): grpc.ClientUnaryCall;
  /**
   * Deletes the account and everything that belongs only to it, with the history in the store.
   */
  eraseAccount(argument: _sluice_catalog_v1_EraseAccountRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_EraseAccountReply>): grpc.ClientUnaryCall;
  eraseAccount(argument: _sluice_catalog_v1_EraseAccountRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_EraseAccountReply>): grpc.ClientUnaryCall;
  eraseAccount(argument: _sluice_catalog_v1_EraseAccountRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_EraseAccountReply>): grpc.ClientUnaryCall;
  eraseAccount(argument: _sluice_catalog_v1_EraseAccountRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_EraseAccountReply>): grpc.ClientUnaryCall;
  
  /**
   * Like EraseAccount. Refused for operators, so that one is always left.
   */
  EraseOwnAccount(argument: _sluice_catalog_v1_EraseOwnAccountRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_EraseAccountReply>): grpc.ClientUnaryCall;
  EraseOwnAccount(argument: _sluice_catalog_v1_EraseOwnAccountRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_EraseAccountReply>): grpc.ClientUnaryCall;
  EraseOwnAccount(argument: _sluice_catalog_v1_EraseOwnAccountRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_EraseAccountReply>): grpc.ClientUnaryCall;
  EraseOwnAccount(argument: _sluice_catalog_v1_EraseOwnAccountRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_EraseAccountReply>): grpc.ClientUnaryCall;
  /**
   * Like EraseAccount. Refused for operators, so that one is always left.
   */
  eraseOwnAccount(argument: _sluice_catalog_v1_EraseOwnAccountRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_EraseAccountReply>): grpc.ClientUnaryCall;
  eraseOwnAccount(argument: _sluice_catalog_v1_EraseOwnAccountRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_EraseAccountReply>): grpc.ClientUnaryCall;
  eraseOwnAccount(argument: _sluice_catalog_v1_EraseOwnAccountRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_EraseAccountReply>): grpc.ClientUnaryCall;
  eraseOwnAccount(argument: _sluice_catalog_v1_EraseOwnAccountRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_EraseAccountReply>): grpc.ClientUnaryCall;
  
  ExportOwnData(argument: _sluice_catalog_v1_ExportOwnDataRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ExportPersonalDataReply>): grpc.ClientUnaryCall;
  ExportOwnData(argument: _sluice_catalog_v1_ExportOwnDataRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ExportPersonalDataReply>): grpc.ClientUnaryCall;
  ExportOwnData(argument: _sluice_catalog_v1_ExportOwnDataRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ExportPersonalDataReply>): grpc.ClientUnaryCall;
  ExportOwnData(argument: _sluice_catalog_v1_ExportOwnDataRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ExportPersonalDataReply>): grpc.ClientUnaryCall;
  exportOwnData(argument: _sluice_catalog_v1_ExportOwnDataRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ExportPersonalDataReply>): grpc.ClientUnaryCall;
  exportOwnData(argument: _sluice_catalog_v1_ExportOwnDataRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ExportPersonalDataReply>): grpc.ClientUnaryCall;
  exportOwnData(argument: _sluice_catalog_v1_ExportOwnDataRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ExportPersonalDataReply>): grpc.ClientUnaryCall;
  exportOwnData(argument: _sluice_catalog_v1_ExportOwnDataRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ExportPersonalDataReply>): grpc.ClientUnaryCall;
  
  ExportPersonalData(argument: _sluice_catalog_v1_ExportPersonalDataRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ExportPersonalDataReply>): grpc.ClientUnaryCall;
  ExportPersonalData(argument: _sluice_catalog_v1_ExportPersonalDataRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ExportPersonalDataReply>): grpc.ClientUnaryCall;
  ExportPersonalData(argument: _sluice_catalog_v1_ExportPersonalDataRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ExportPersonalDataReply>): grpc.ClientUnaryCall;
  ExportPersonalData(argument: _sluice_catalog_v1_ExportPersonalDataRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ExportPersonalDataReply>): grpc.ClientUnaryCall;
  exportPersonalData(argument: _sluice_catalog_v1_ExportPersonalDataRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ExportPersonalDataReply>): grpc.ClientUnaryCall;
  exportPersonalData(argument: _sluice_catalog_v1_ExportPersonalDataRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ExportPersonalDataReply>): grpc.ClientUnaryCall;
  exportPersonalData(argument: _sluice_catalog_v1_ExportPersonalDataRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ExportPersonalDataReply>): grpc.ClientUnaryCall;
  exportPersonalData(argument: _sluice_catalog_v1_ExportPersonalDataRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ExportPersonalDataReply>): grpc.ClientUnaryCall;
  
  GetLimits(argument: _sluice_catalog_v1_GetLimitsRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_GetLimitsReply>): grpc.ClientUnaryCall;
  GetLimits(argument: _sluice_catalog_v1_GetLimitsRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_GetLimitsReply>): grpc.ClientUnaryCall;
  GetLimits(argument: _sluice_catalog_v1_GetLimitsRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_GetLimitsReply>): grpc.ClientUnaryCall;
  GetLimits(argument: _sluice_catalog_v1_GetLimitsRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_GetLimitsReply>): grpc.ClientUnaryCall;
  getLimits(argument: _sluice_catalog_v1_GetLimitsRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_GetLimitsReply>): grpc.ClientUnaryCall;
  getLimits(argument: _sluice_catalog_v1_GetLimitsRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_GetLimitsReply>): grpc.ClientUnaryCall;
  getLimits(argument: _sluice_catalog_v1_GetLimitsRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_GetLimitsReply>): grpc.ClientUnaryCall;
  getLimits(argument: _sluice_catalog_v1_GetLimitsRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_GetLimitsReply>): grpc.ClientUnaryCall;
  
  /**
   * Calls of the members of an organization.
   */
  GetOrganization(argument: _sluice_catalog_v1_GetOrganizationRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_OrganizationDetails>): grpc.ClientUnaryCall;
  GetOrganization(argument: _sluice_catalog_v1_GetOrganizationRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_OrganizationDetails>): grpc.ClientUnaryCall;
  GetOrganization(argument: _sluice_catalog_v1_GetOrganizationRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_OrganizationDetails>): grpc.ClientUnaryCall;
  GetOrganization(argument: _sluice_catalog_v1_GetOrganizationRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_OrganizationDetails>): grpc.ClientUnaryCall;
  /**
   * Calls of the members of an organization.
   */
  getOrganization(argument: _sluice_catalog_v1_GetOrganizationRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_OrganizationDetails>): grpc.ClientUnaryCall;
  getOrganization(argument: _sluice_catalog_v1_GetOrganizationRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_OrganizationDetails>): grpc.ClientUnaryCall;
  getOrganization(argument: _sluice_catalog_v1_GetOrganizationRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_OrganizationDetails>): grpc.ClientUnaryCall;
  getOrganization(argument: _sluice_catalog_v1_GetOrganizationRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_OrganizationDetails>): grpc.ClientUnaryCall;
  
  GetResource(argument: _sluice_catalog_v1_ResourceReferenceInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  GetResource(argument: _sluice_catalog_v1_ResourceReferenceInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  GetResource(argument: _sluice_catalog_v1_ResourceReferenceInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  GetResource(argument: _sluice_catalog_v1_ResourceReferenceInput, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  getResource(argument: _sluice_catalog_v1_ResourceReferenceInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  getResource(argument: _sluice_catalog_v1_ResourceReferenceInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  getResource(argument: _sluice_catalog_v1_ResourceReferenceInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  getResource(argument: _sluice_catalog_v1_ResourceReferenceInput, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  
  IssuePlaygroundToken(argument: _sluice_catalog_v1_IssueOwnPlaygroundTokenRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_IssuePlaygroundTokenReply>): grpc.ClientUnaryCall;
  IssuePlaygroundToken(argument: _sluice_catalog_v1_IssueOwnPlaygroundTokenRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_IssuePlaygroundTokenReply>): grpc.ClientUnaryCall;
  IssuePlaygroundToken(argument: _sluice_catalog_v1_IssueOwnPlaygroundTokenRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_IssuePlaygroundTokenReply>): grpc.ClientUnaryCall;
  IssuePlaygroundToken(argument: _sluice_catalog_v1_IssueOwnPlaygroundTokenRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_IssuePlaygroundTokenReply>): grpc.ClientUnaryCall;
  issuePlaygroundToken(argument: _sluice_catalog_v1_IssueOwnPlaygroundTokenRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_IssuePlaygroundTokenReply>): grpc.ClientUnaryCall;
  issuePlaygroundToken(argument: _sluice_catalog_v1_IssueOwnPlaygroundTokenRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_IssuePlaygroundTokenReply>): grpc.ClientUnaryCall;
  issuePlaygroundToken(argument: _sluice_catalog_v1_IssueOwnPlaygroundTokenRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_IssuePlaygroundTokenReply>): grpc.ClientUnaryCall;
  issuePlaygroundToken(argument: _sluice_catalog_v1_IssueOwnPlaygroundTokenRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_IssuePlaygroundTokenReply>): grpc.ClientUnaryCall;
  
  /**
   * Calls of operators of the platform.
   */
  ListAccounts(argument: _sluice_catalog_v1_ListAccountsRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListAccountsReply>): grpc.ClientUnaryCall;
  ListAccounts(argument: _sluice_catalog_v1_ListAccountsRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ListAccountsReply>): grpc.ClientUnaryCall;
  ListAccounts(argument: _sluice_catalog_v1_ListAccountsRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListAccountsReply>): grpc.ClientUnaryCall;
  ListAccounts(argument: _sluice_catalog_v1_ListAccountsRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ListAccountsReply>): grpc.ClientUnaryCall;
  /**
   * Calls of operators of the platform.
   */
  listAccounts(argument: _sluice_catalog_v1_ListAccountsRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListAccountsReply>): grpc.ClientUnaryCall;
  listAccounts(argument: _sluice_catalog_v1_ListAccountsRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ListAccountsReply>): grpc.ClientUnaryCall;
  listAccounts(argument: _sluice_catalog_v1_ListAccountsRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListAccountsReply>): grpc.ClientUnaryCall;
  listAccounts(argument: _sluice_catalog_v1_ListAccountsRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ListAccountsReply>): grpc.ClientUnaryCall;
  
  ListApiKeys(argument: _sluice_catalog_v1_ListApiKeysRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListApiKeysReply>): grpc.ClientUnaryCall;
  ListApiKeys(argument: _sluice_catalog_v1_ListApiKeysRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ListApiKeysReply>): grpc.ClientUnaryCall;
  ListApiKeys(argument: _sluice_catalog_v1_ListApiKeysRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListApiKeysReply>): grpc.ClientUnaryCall;
  ListApiKeys(argument: _sluice_catalog_v1_ListApiKeysRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ListApiKeysReply>): grpc.ClientUnaryCall;
  listApiKeys(argument: _sluice_catalog_v1_ListApiKeysRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListApiKeysReply>): grpc.ClientUnaryCall;
  listApiKeys(argument: _sluice_catalog_v1_ListApiKeysRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ListApiKeysReply>): grpc.ClientUnaryCall;
  listApiKeys(argument: _sluice_catalog_v1_ListApiKeysRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListApiKeysReply>): grpc.ClientUnaryCall;
  listApiKeys(argument: _sluice_catalog_v1_ListApiKeysRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ListApiKeysReply>): grpc.ClientUnaryCall;
  
  ListAudit(argument: _sluice_catalog_v1_ListAuditRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListAuditReply>): grpc.ClientUnaryCall;
  ListAudit(argument: _sluice_catalog_v1_ListAuditRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ListAuditReply>): grpc.ClientUnaryCall;
  ListAudit(argument: _sluice_catalog_v1_ListAuditRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListAuditReply>): grpc.ClientUnaryCall;
  ListAudit(argument: _sluice_catalog_v1_ListAuditRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ListAuditReply>): grpc.ClientUnaryCall;
  listAudit(argument: _sluice_catalog_v1_ListAuditRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListAuditReply>): grpc.ClientUnaryCall;
  listAudit(argument: _sluice_catalog_v1_ListAuditRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ListAuditReply>): grpc.ClientUnaryCall;
  listAudit(argument: _sluice_catalog_v1_ListAuditRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListAuditReply>): grpc.ClientUnaryCall;
  listAudit(argument: _sluice_catalog_v1_ListAuditRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ListAuditReply>): grpc.ClientUnaryCall;
  
  ListInvitations(argument: _sluice_catalog_v1_ListInvitationsRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListInvitationsReply>): grpc.ClientUnaryCall;
  ListInvitations(argument: _sluice_catalog_v1_ListInvitationsRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ListInvitationsReply>): grpc.ClientUnaryCall;
  ListInvitations(argument: _sluice_catalog_v1_ListInvitationsRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListInvitationsReply>): grpc.ClientUnaryCall;
  ListInvitations(argument: _sluice_catalog_v1_ListInvitationsRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ListInvitationsReply>): grpc.ClientUnaryCall;
  listInvitations(argument: _sluice_catalog_v1_ListInvitationsRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListInvitationsReply>): grpc.ClientUnaryCall;
  listInvitations(argument: _sluice_catalog_v1_ListInvitationsRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ListInvitationsReply>): grpc.ClientUnaryCall;
  listInvitations(argument: _sluice_catalog_v1_ListInvitationsRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListInvitationsReply>): grpc.ClientUnaryCall;
  listInvitations(argument: _sluice_catalog_v1_ListInvitationsRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ListInvitationsReply>): grpc.ClientUnaryCall;
  
  ListMembers(argument: _sluice_catalog_v1_ListMembersRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListMembersReply>): grpc.ClientUnaryCall;
  ListMembers(argument: _sluice_catalog_v1_ListMembersRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ListMembersReply>): grpc.ClientUnaryCall;
  ListMembers(argument: _sluice_catalog_v1_ListMembersRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListMembersReply>): grpc.ClientUnaryCall;
  ListMembers(argument: _sluice_catalog_v1_ListMembersRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ListMembersReply>): grpc.ClientUnaryCall;
  listMembers(argument: _sluice_catalog_v1_ListMembersRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListMembersReply>): grpc.ClientUnaryCall;
  listMembers(argument: _sluice_catalog_v1_ListMembersRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ListMembersReply>): grpc.ClientUnaryCall;
  listMembers(argument: _sluice_catalog_v1_ListMembersRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListMembersReply>): grpc.ClientUnaryCall;
  listMembers(argument: _sluice_catalog_v1_ListMembersRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ListMembersReply>): grpc.ClientUnaryCall;
  
  ListModels(argument: _sluice_catalog_v1_ListOfferedModelsRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListOfferedModelsReply>): grpc.ClientUnaryCall;
  ListModels(argument: _sluice_catalog_v1_ListOfferedModelsRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ListOfferedModelsReply>): grpc.ClientUnaryCall;
  ListModels(argument: _sluice_catalog_v1_ListOfferedModelsRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListOfferedModelsReply>): grpc.ClientUnaryCall;
  ListModels(argument: _sluice_catalog_v1_ListOfferedModelsRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ListOfferedModelsReply>): grpc.ClientUnaryCall;
  listModels(argument: _sluice_catalog_v1_ListOfferedModelsRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListOfferedModelsReply>): grpc.ClientUnaryCall;
  listModels(argument: _sluice_catalog_v1_ListOfferedModelsRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ListOfferedModelsReply>): grpc.ClientUnaryCall;
  listModels(argument: _sluice_catalog_v1_ListOfferedModelsRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListOfferedModelsReply>): grpc.ClientUnaryCall;
  listModels(argument: _sluice_catalog_v1_ListOfferedModelsRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ListOfferedModelsReply>): grpc.ClientUnaryCall;
  
  ListOrganizations(argument: _sluice_catalog_v1_ListOrganizationsRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListOrganizationsReply>): grpc.ClientUnaryCall;
  ListOrganizations(argument: _sluice_catalog_v1_ListOrganizationsRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ListOrganizationsReply>): grpc.ClientUnaryCall;
  ListOrganizations(argument: _sluice_catalog_v1_ListOrganizationsRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListOrganizationsReply>): grpc.ClientUnaryCall;
  ListOrganizations(argument: _sluice_catalog_v1_ListOrganizationsRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ListOrganizationsReply>): grpc.ClientUnaryCall;
  listOrganizations(argument: _sluice_catalog_v1_ListOrganizationsRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListOrganizationsReply>): grpc.ClientUnaryCall;
  listOrganizations(argument: _sluice_catalog_v1_ListOrganizationsRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ListOrganizationsReply>): grpc.ClientUnaryCall;
  listOrganizations(argument: _sluice_catalog_v1_ListOrganizationsRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListOrganizationsReply>): grpc.ClientUnaryCall;
  listOrganizations(argument: _sluice_catalog_v1_ListOrganizationsRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ListOrganizationsReply>): grpc.ClientUnaryCall;
  
  /**
   * Kinds: plans, models, organizations, projects.
   */
  ListPlatformResources(argument: _sluice_catalog_v1_ListPlatformResourcesRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListPlatformResourcesReply>): grpc.ClientUnaryCall;
  ListPlatformResources(argument: _sluice_catalog_v1_ListPlatformResourcesRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ListPlatformResourcesReply>): grpc.ClientUnaryCall;
  ListPlatformResources(argument: _sluice_catalog_v1_ListPlatformResourcesRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListPlatformResourcesReply>): grpc.ClientUnaryCall;
  ListPlatformResources(argument: _sluice_catalog_v1_ListPlatformResourcesRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ListPlatformResourcesReply>): grpc.ClientUnaryCall;
  /**
   * Kinds: plans, models, organizations, projects.
   */
  listPlatformResources(argument: _sluice_catalog_v1_ListPlatformResourcesRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListPlatformResourcesReply>): grpc.ClientUnaryCall;
  listPlatformResources(argument: _sluice_catalog_v1_ListPlatformResourcesRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ListPlatformResourcesReply>): grpc.ClientUnaryCall;
  listPlatformResources(argument: _sluice_catalog_v1_ListPlatformResourcesRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListPlatformResourcesReply>): grpc.ClientUnaryCall;
  listPlatformResources(argument: _sluice_catalog_v1_ListPlatformResourcesRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ListPlatformResourcesReply>): grpc.ClientUnaryCall;
  
  ListProjects(argument: _sluice_catalog_v1_ListProjectsRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListProjectsReply>): grpc.ClientUnaryCall;
  ListProjects(argument: _sluice_catalog_v1_ListProjectsRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ListProjectsReply>): grpc.ClientUnaryCall;
  ListProjects(argument: _sluice_catalog_v1_ListProjectsRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListProjectsReply>): grpc.ClientUnaryCall;
  ListProjects(argument: _sluice_catalog_v1_ListProjectsRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ListProjectsReply>): grpc.ClientUnaryCall;
  listProjects(argument: _sluice_catalog_v1_ListProjectsRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListProjectsReply>): grpc.ClientUnaryCall;
  listProjects(argument: _sluice_catalog_v1_ListProjectsRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ListProjectsReply>): grpc.ClientUnaryCall;
  listProjects(argument: _sluice_catalog_v1_ListProjectsRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ListProjectsReply>): grpc.ClientUnaryCall;
  listProjects(argument: _sluice_catalog_v1_ListProjectsRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ListProjectsReply>): grpc.ClientUnaryCall;
  
  RedeemSignInLink(argument: _sluice_catalog_v1_RedeemSignInLinkRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_SignedIn>): grpc.ClientUnaryCall;
  RedeemSignInLink(argument: _sluice_catalog_v1_RedeemSignInLinkRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_SignedIn>): grpc.ClientUnaryCall;
  RedeemSignInLink(argument: _sluice_catalog_v1_RedeemSignInLinkRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_SignedIn>): grpc.ClientUnaryCall;
  RedeemSignInLink(argument: _sluice_catalog_v1_RedeemSignInLinkRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_SignedIn>): grpc.ClientUnaryCall;
  redeemSignInLink(argument: _sluice_catalog_v1_RedeemSignInLinkRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_SignedIn>): grpc.ClientUnaryCall;
  redeemSignInLink(argument: _sluice_catalog_v1_RedeemSignInLinkRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_SignedIn>): grpc.ClientUnaryCall;
  redeemSignInLink(argument: _sluice_catalog_v1_RedeemSignInLinkRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_SignedIn>): grpc.ClientUnaryCall;
  redeemSignInLink(argument: _sluice_catalog_v1_RedeemSignInLinkRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_SignedIn>): grpc.ClientUnaryCall;
  
  /**
   * A member may remove itself. The last owner cannot be removed.
   */
  RemoveMember(argument: _sluice_catalog_v1_RemoveMemberRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  RemoveMember(argument: _sluice_catalog_v1_RemoveMemberRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  RemoveMember(argument: _sluice_catalog_v1_RemoveMemberRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  RemoveMember(argument: _sluice_catalog_v1_RemoveMemberRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  /**
   * A member may remove itself. The last owner cannot be removed.
   */
  removeMember(argument: _sluice_catalog_v1_RemoveMemberRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  removeMember(argument: _sluice_catalog_v1_RemoveMemberRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  removeMember(argument: _sluice_catalog_v1_RemoveMemberRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  removeMember(argument: _sluice_catalog_v1_RemoveMemberRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  
  RenameProject(argument: _sluice_catalog_v1_RenameProjectRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ProjectDetails>): grpc.ClientUnaryCall;
  RenameProject(argument: _sluice_catalog_v1_RenameProjectRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ProjectDetails>): grpc.ClientUnaryCall;
  RenameProject(argument: _sluice_catalog_v1_RenameProjectRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ProjectDetails>): grpc.ClientUnaryCall;
  RenameProject(argument: _sluice_catalog_v1_RenameProjectRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ProjectDetails>): grpc.ClientUnaryCall;
  renameProject(argument: _sluice_catalog_v1_RenameProjectRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ProjectDetails>): grpc.ClientUnaryCall;
  renameProject(argument: _sluice_catalog_v1_RenameProjectRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ProjectDetails>): grpc.ClientUnaryCall;
  renameProject(argument: _sluice_catalog_v1_RenameProjectRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ProjectDetails>): grpc.ClientUnaryCall;
  renameProject(argument: _sluice_catalog_v1_RenameProjectRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ProjectDetails>): grpc.ClientUnaryCall;
  
  RevokeApiKey(argument: _sluice_catalog_v1_RevokeOrganizationApiKeyRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ApiKeyDetails>): grpc.ClientUnaryCall;
  RevokeApiKey(argument: _sluice_catalog_v1_RevokeOrganizationApiKeyRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ApiKeyDetails>): grpc.ClientUnaryCall;
  RevokeApiKey(argument: _sluice_catalog_v1_RevokeOrganizationApiKeyRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ApiKeyDetails>): grpc.ClientUnaryCall;
  RevokeApiKey(argument: _sluice_catalog_v1_RevokeOrganizationApiKeyRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ApiKeyDetails>): grpc.ClientUnaryCall;
  revokeApiKey(argument: _sluice_catalog_v1_RevokeOrganizationApiKeyRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ApiKeyDetails>): grpc.ClientUnaryCall;
  revokeApiKey(argument: _sluice_catalog_v1_RevokeOrganizationApiKeyRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ApiKeyDetails>): grpc.ClientUnaryCall;
  revokeApiKey(argument: _sluice_catalog_v1_RevokeOrganizationApiKeyRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ApiKeyDetails>): grpc.ClientUnaryCall;
  revokeApiKey(argument: _sluice_catalog_v1_RevokeOrganizationApiKeyRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ApiKeyDetails>): grpc.ClientUnaryCall;
  
  RevokeInvitation(argument: _sluice_catalog_v1_RevokeInvitationRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  RevokeInvitation(argument: _sluice_catalog_v1_RevokeInvitationRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  RevokeInvitation(argument: _sluice_catalog_v1_RevokeInvitationRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  RevokeInvitation(argument: _sluice_catalog_v1_RevokeInvitationRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  revokeInvitation(argument: _sluice_catalog_v1_RevokeInvitationRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  revokeInvitation(argument: _sluice_catalog_v1_RevokeInvitationRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  revokeInvitation(argument: _sluice_catalog_v1_RevokeInvitationRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  revokeInvitation(argument: _sluice_catalog_v1_RevokeInvitationRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_Deleted>): grpc.ClientUnaryCall;
  
  SetAccountAccess(argument: _sluice_catalog_v1_SetAccountAccessRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  SetAccountAccess(argument: _sluice_catalog_v1_SetAccountAccessRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  SetAccountAccess(argument: _sluice_catalog_v1_SetAccountAccessRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  SetAccountAccess(argument: _sluice_catalog_v1_SetAccountAccessRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  setAccountAccess(argument: _sluice_catalog_v1_SetAccountAccessRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  setAccountAccess(argument: _sluice_catalog_v1_SetAccountAccessRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  setAccountAccess(argument: _sluice_catalog_v1_SetAccountAccessRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  setAccountAccess(argument: _sluice_catalog_v1_SetAccountAccessRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  
  SetAccountRestricted(argument: _sluice_catalog_v1_SetAccountRestrictedRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  SetAccountRestricted(argument: _sluice_catalog_v1_SetAccountRestrictedRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  SetAccountRestricted(argument: _sluice_catalog_v1_SetAccountRestrictedRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  SetAccountRestricted(argument: _sluice_catalog_v1_SetAccountRestrictedRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  setAccountRestricted(argument: _sluice_catalog_v1_SetAccountRestrictedRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  setAccountRestricted(argument: _sluice_catalog_v1_SetAccountRestrictedRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  setAccountRestricted(argument: _sluice_catalog_v1_SetAccountRestrictedRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  setAccountRestricted(argument: _sluice_catalog_v1_SetAccountRestrictedRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  
  SetMemberRole(argument: _sluice_catalog_v1_SetMemberRoleRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_MemberDetails>): grpc.ClientUnaryCall;
  SetMemberRole(argument: _sluice_catalog_v1_SetMemberRoleRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_MemberDetails>): grpc.ClientUnaryCall;
  SetMemberRole(argument: _sluice_catalog_v1_SetMemberRoleRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_MemberDetails>): grpc.ClientUnaryCall;
  SetMemberRole(argument: _sluice_catalog_v1_SetMemberRoleRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_MemberDetails>): grpc.ClientUnaryCall;
  setMemberRole(argument: _sluice_catalog_v1_SetMemberRoleRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_MemberDetails>): grpc.ClientUnaryCall;
  setMemberRole(argument: _sluice_catalog_v1_SetMemberRoleRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_MemberDetails>): grpc.ClientUnaryCall;
  setMemberRole(argument: _sluice_catalog_v1_SetMemberRoleRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_MemberDetails>): grpc.ClientUnaryCall;
  setMemberRole(argument: _sluice_catalog_v1_SetMemberRoleRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_MemberDetails>): grpc.ClientUnaryCall;
  
  SetOperator(argument: _sluice_catalog_v1_SetOperatorRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  SetOperator(argument: _sluice_catalog_v1_SetOperatorRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  SetOperator(argument: _sluice_catalog_v1_SetOperatorRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  SetOperator(argument: _sluice_catalog_v1_SetOperatorRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  setOperator(argument: _sluice_catalog_v1_SetOperatorRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  setOperator(argument: _sluice_catalog_v1_SetOperatorRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  setOperator(argument: _sluice_catalog_v1_SetOperatorRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  setOperator(argument: _sluice_catalog_v1_SetOperatorRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_AccountDetails>): grpc.ClientUnaryCall;
  
  /**
   * Calls that need no session.
   */
  SignIn(argument: _sluice_catalog_v1_SignInRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_SignedIn>): grpc.ClientUnaryCall;
  SignIn(argument: _sluice_catalog_v1_SignInRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_SignedIn>): grpc.ClientUnaryCall;
  SignIn(argument: _sluice_catalog_v1_SignInRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_SignedIn>): grpc.ClientUnaryCall;
  SignIn(argument: _sluice_catalog_v1_SignInRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_SignedIn>): grpc.ClientUnaryCall;
  /**
   * Calls that need no session.
   */
  signIn(argument: _sluice_catalog_v1_SignInRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_SignedIn>): grpc.ClientUnaryCall;
  signIn(argument: _sluice_catalog_v1_SignInRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_SignedIn>): grpc.ClientUnaryCall;
  signIn(argument: _sluice_catalog_v1_SignInRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_SignedIn>): grpc.ClientUnaryCall;
  signIn(argument: _sluice_catalog_v1_SignInRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_SignedIn>): grpc.ClientUnaryCall;
  
  /**
   * Ends all sessions of the account.
   */
  SignOut(argument: _sluice_catalog_v1_SignOutRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_SignOutReply>): grpc.ClientUnaryCall;
  SignOut(argument: _sluice_catalog_v1_SignOutRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_SignOutReply>): grpc.ClientUnaryCall;
  SignOut(argument: _sluice_catalog_v1_SignOutRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_SignOutReply>): grpc.ClientUnaryCall;
  SignOut(argument: _sluice_catalog_v1_SignOutRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_SignOutReply>): grpc.ClientUnaryCall;
  /**
   * Ends all sessions of the account.
   */
  signOut(argument: _sluice_catalog_v1_SignOutRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_SignOutReply>): grpc.ClientUnaryCall;
  signOut(argument: _sluice_catalog_v1_SignOutRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_SignOutReply>): grpc.ClientUnaryCall;
  signOut(argument: _sluice_catalog_v1_SignOutRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_SignOutReply>): grpc.ClientUnaryCall;
  signOut(argument: _sluice_catalog_v1_SignOutRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_SignOutReply>): grpc.ClientUnaryCall;
  
  UpdateOrganization(argument: _sluice_catalog_v1_UpdateOrganizationRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_UpdateOrganizationReply>): grpc.ClientUnaryCall;
  UpdateOrganization(argument: _sluice_catalog_v1_UpdateOrganizationRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_UpdateOrganizationReply>): grpc.ClientUnaryCall;
  UpdateOrganization(argument: _sluice_catalog_v1_UpdateOrganizationRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_UpdateOrganizationReply>): grpc.ClientUnaryCall;
  UpdateOrganization(argument: _sluice_catalog_v1_UpdateOrganizationRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_UpdateOrganizationReply>): grpc.ClientUnaryCall;
  updateOrganization(argument: _sluice_catalog_v1_UpdateOrganizationRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_UpdateOrganizationReply>): grpc.ClientUnaryCall;
  updateOrganization(argument: _sluice_catalog_v1_UpdateOrganizationRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_UpdateOrganizationReply>): grpc.ClientUnaryCall;
  updateOrganization(argument: _sluice_catalog_v1_UpdateOrganizationRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_UpdateOrganizationReply>): grpc.ClientUnaryCall;
  updateOrganization(argument: _sluice_catalog_v1_UpdateOrganizationRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_UpdateOrganizationReply>): grpc.ClientUnaryCall;
  
  UpdateResource(argument: _sluice_catalog_v1_ResourceInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  UpdateResource(argument: _sluice_catalog_v1_ResourceInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  UpdateResource(argument: _sluice_catalog_v1_ResourceInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  UpdateResource(argument: _sluice_catalog_v1_ResourceInput, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  updateResource(argument: _sluice_catalog_v1_ResourceInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  updateResource(argument: _sluice_catalog_v1_ResourceInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  updateResource(argument: _sluice_catalog_v1_ResourceInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  updateResource(argument: _sluice_catalog_v1_ResourceInput, callback: grpc.requestCallback<_sluice_catalog_v1_Resource>): grpc.ClientUnaryCall;
  
  /**
   * Calls about the signed-in account.
   */
  WhoAmI(argument: _sluice_catalog_v1_WhoAmIRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_WhoAmIReply>): grpc.ClientUnaryCall;
  WhoAmI(argument: _sluice_catalog_v1_WhoAmIRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_WhoAmIReply>): grpc.ClientUnaryCall;
  WhoAmI(argument: _sluice_catalog_v1_WhoAmIRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_WhoAmIReply>): grpc.ClientUnaryCall;
  WhoAmI(argument: _sluice_catalog_v1_WhoAmIRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_WhoAmIReply>): grpc.ClientUnaryCall;
  /**
   * Calls about the signed-in account.
   */
  whoAmI(argument: _sluice_catalog_v1_WhoAmIRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_WhoAmIReply>): grpc.ClientUnaryCall;
  whoAmI(argument: _sluice_catalog_v1_WhoAmIRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_WhoAmIReply>): grpc.ClientUnaryCall;
  whoAmI(argument: _sluice_catalog_v1_WhoAmIRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_WhoAmIReply>): grpc.ClientUnaryCall;
  whoAmI(argument: _sluice_catalog_v1_WhoAmIRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_WhoAmIReply>): grpc.ClientUnaryCall;
  
}

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
export interface CatalogConsoleHandlers extends grpc.UntypedServiceImplementation {
  /**
   * Also completes onboarding, if the terms are accepted.
   */
  AcceptInvitation: grpc.handleUnaryCall<_sluice_catalog_v1_AcceptInvitationRequest, _sluice_catalog_v1_AcceptInvitationReplyInput>;
  
  /**
   * Whether the account may do something for which the console then calls another service, such as usage.
   */
  Authorize: grpc.handleUnaryCall<_sluice_catalog_v1_AuthorizeRequest, _sluice_catalog_v1_AuthorizeReplyInput>;
  
  CompleteOnboarding: grpc.handleUnaryCall<_sluice_catalog_v1_CompleteOnboardingRequest, _sluice_catalog_v1_WhoAmIReplyInput>;
  
  CreateApiKey: grpc.handleUnaryCall<_sluice_catalog_v1_CreateOwnApiKeyRequest, _sluice_catalog_v1_CreateOwnApiKeyReplyInput>;
  
  CreateInvitation: grpc.handleUnaryCall<_sluice_catalog_v1_CreateInvitationRequest, _sluice_catalog_v1_CreateInvitationReplyInput>;
  
  CreateProject: grpc.handleUnaryCall<_sluice_catalog_v1_CreateProjectRequest, _sluice_catalog_v1_ProjectDetailsInput>;
  
  CreateResource: grpc.handleUnaryCall<_sluice_catalog_v1_Resource, _sluice_catalog_v1_ResourceInput>;
  
  DeleteOrganization: grpc.handleUnaryCall<_sluice_catalog_v1_DeleteOrganizationRequest, _sluice_catalog_v1_DeletedInput>;
  
  DeleteProject: grpc.handleUnaryCall<_sluice_catalog_v1_DeleteProjectRequest, _sluice_catalog_v1_DeletedInput>;
  
  DeleteResource: grpc.handleUnaryCall<_sluice_catalog_v1_ResourceReference, _sluice_catalog_v1_DeletedInput>;
  
  DescribeInvitation: grpc.handleUnaryCall<_sluice_catalog_v1_DescribeInvitationRequest, _sluice_catalog_v1_InvitationDescriptionInput>;
  
  EndSessions: grpc.handleUnaryCall<_sluice_catalog_v1_EndSessionsRequest, _sluice_catalog_v1_AccountDetailsInput>;
  
  /**
   * Deletes the account and everything that belongs only to it, with the history in the store.
   */
  EraseAccount: grpc.handleUnaryCall<_sluice_catalog_v1_EraseAccountRequest, _sluice_catalog_v1_EraseAccountReplyInput>;
  
  /**
   * Like EraseAccount. Refused for operators, so that one is always left.
   */
  EraseOwnAccount: grpc.handleUnaryCall<_sluice_catalog_v1_EraseOwnAccountRequest, _sluice_catalog_v1_EraseAccountReplyInput>;
  
  ExportOwnData: grpc.handleUnaryCall<_sluice_catalog_v1_ExportOwnDataRequest, _sluice_catalog_v1_ExportPersonalDataReplyInput>;
  
  ExportPersonalData: grpc.handleUnaryCall<_sluice_catalog_v1_ExportPersonalDataRequest, _sluice_catalog_v1_ExportPersonalDataReplyInput>;
  
  GetLimits: grpc.handleUnaryCall<_sluice_catalog_v1_GetLimitsRequest, _sluice_catalog_v1_GetLimitsReplyInput>;
  
  /**
   * Calls of the members of an organization.
   */
  GetOrganization: grpc.handleUnaryCall<_sluice_catalog_v1_GetOrganizationRequest, _sluice_catalog_v1_OrganizationDetailsInput>;
  
  GetResource: grpc.handleUnaryCall<_sluice_catalog_v1_ResourceReference, _sluice_catalog_v1_ResourceInput>;
  
  IssuePlaygroundToken: grpc.handleUnaryCall<_sluice_catalog_v1_IssueOwnPlaygroundTokenRequest, _sluice_catalog_v1_IssuePlaygroundTokenReplyInput>;
  
  /**
   * Calls of operators of the platform.
   */
  ListAccounts: grpc.handleUnaryCall<_sluice_catalog_v1_ListAccountsRequest, _sluice_catalog_v1_ListAccountsReplyInput>;
  
  ListApiKeys: grpc.handleUnaryCall<_sluice_catalog_v1_ListApiKeysRequest, _sluice_catalog_v1_ListApiKeysReplyInput>;
  
  ListAudit: grpc.handleUnaryCall<_sluice_catalog_v1_ListAuditRequest, _sluice_catalog_v1_ListAuditReplyInput>;
  
  ListInvitations: grpc.handleUnaryCall<_sluice_catalog_v1_ListInvitationsRequest, _sluice_catalog_v1_ListInvitationsReplyInput>;
  
  ListMembers: grpc.handleUnaryCall<_sluice_catalog_v1_ListMembersRequest, _sluice_catalog_v1_ListMembersReplyInput>;
  
  ListModels: grpc.handleUnaryCall<_sluice_catalog_v1_ListOfferedModelsRequest, _sluice_catalog_v1_ListOfferedModelsReplyInput>;
  
  ListOrganizations: grpc.handleUnaryCall<_sluice_catalog_v1_ListOrganizationsRequest, _sluice_catalog_v1_ListOrganizationsReplyInput>;
  
  /**
   * Kinds: plans, models, organizations, projects.
   */
  ListPlatformResources: grpc.handleUnaryCall<_sluice_catalog_v1_ListPlatformResourcesRequest, _sluice_catalog_v1_ListPlatformResourcesReplyInput>;
  
  ListProjects: grpc.handleUnaryCall<_sluice_catalog_v1_ListProjectsRequest, _sluice_catalog_v1_ListProjectsReplyInput>;
  
  RedeemSignInLink: grpc.handleUnaryCall<_sluice_catalog_v1_RedeemSignInLinkRequest, _sluice_catalog_v1_SignedInInput>;
  
  /**
   * A member may remove itself. The last owner cannot be removed.
   */
  RemoveMember: grpc.handleUnaryCall<_sluice_catalog_v1_RemoveMemberRequest, _sluice_catalog_v1_DeletedInput>;
  
  RenameProject: grpc.handleUnaryCall<_sluice_catalog_v1_RenameProjectRequest, _sluice_catalog_v1_ProjectDetailsInput>;
  
  RevokeApiKey: grpc.handleUnaryCall<_sluice_catalog_v1_RevokeOrganizationApiKeyRequest, _sluice_catalog_v1_ApiKeyDetailsInput>;
  
  RevokeInvitation: grpc.handleUnaryCall<_sluice_catalog_v1_RevokeInvitationRequest, _sluice_catalog_v1_DeletedInput>;
  
  SetAccountAccess: grpc.handleUnaryCall<_sluice_catalog_v1_SetAccountAccessRequest, _sluice_catalog_v1_AccountDetailsInput>;
  
  SetAccountRestricted: grpc.handleUnaryCall<_sluice_catalog_v1_SetAccountRestrictedRequest, _sluice_catalog_v1_AccountDetailsInput>;
  
  SetMemberRole: grpc.handleUnaryCall<_sluice_catalog_v1_SetMemberRoleRequest, _sluice_catalog_v1_MemberDetailsInput>;
  
  SetOperator: grpc.handleUnaryCall<_sluice_catalog_v1_SetOperatorRequest, _sluice_catalog_v1_AccountDetailsInput>;
  
  /**
   * Calls that need no session.
   */
  SignIn: grpc.handleUnaryCall<_sluice_catalog_v1_SignInRequest, _sluice_catalog_v1_SignedInInput>;
  
  /**
   * Ends all sessions of the account.
   */
  SignOut: grpc.handleUnaryCall<_sluice_catalog_v1_SignOutRequest, _sluice_catalog_v1_SignOutReplyInput>;
  
  UpdateOrganization: grpc.handleUnaryCall<_sluice_catalog_v1_UpdateOrganizationRequest, _sluice_catalog_v1_UpdateOrganizationReplyInput>;
  
  UpdateResource: grpc.handleUnaryCall<_sluice_catalog_v1_Resource, _sluice_catalog_v1_ResourceInput>;
  
  /**
   * Calls about the signed-in account.
   */
  WhoAmI: grpc.handleUnaryCall<_sluice_catalog_v1_WhoAmIRequest, _sluice_catalog_v1_WhoAmIReplyInput>;
  
}

export interface CatalogConsoleDefinition extends grpc.ServiceDefinition {
  AcceptInvitation: MethodDefinition<_sluice_catalog_v1_AcceptInvitationRequestInput, _sluice_catalog_v1_AcceptInvitationReplyInput, _sluice_catalog_v1_AcceptInvitationRequest, _sluice_catalog_v1_AcceptInvitationReply>
  Authorize: MethodDefinition<_sluice_catalog_v1_AuthorizeRequestInput, _sluice_catalog_v1_AuthorizeReplyInput, _sluice_catalog_v1_AuthorizeRequest, _sluice_catalog_v1_AuthorizeReply>
  CompleteOnboarding: MethodDefinition<_sluice_catalog_v1_CompleteOnboardingRequestInput, _sluice_catalog_v1_WhoAmIReplyInput, _sluice_catalog_v1_CompleteOnboardingRequest, _sluice_catalog_v1_WhoAmIReply>
  CreateApiKey: MethodDefinition<_sluice_catalog_v1_CreateOwnApiKeyRequestInput, _sluice_catalog_v1_CreateOwnApiKeyReplyInput, _sluice_catalog_v1_CreateOwnApiKeyRequest, _sluice_catalog_v1_CreateOwnApiKeyReply>
  CreateInvitation: MethodDefinition<_sluice_catalog_v1_CreateInvitationRequestInput, _sluice_catalog_v1_CreateInvitationReplyInput, _sluice_catalog_v1_CreateInvitationRequest, _sluice_catalog_v1_CreateInvitationReply>
  CreateProject: MethodDefinition<_sluice_catalog_v1_CreateProjectRequestInput, _sluice_catalog_v1_ProjectDetailsInput, _sluice_catalog_v1_CreateProjectRequest, _sluice_catalog_v1_ProjectDetails>
  CreateResource: MethodDefinition<_sluice_catalog_v1_ResourceInput, _sluice_catalog_v1_ResourceInput, _sluice_catalog_v1_Resource, _sluice_catalog_v1_Resource>
  DeleteOrganization: MethodDefinition<_sluice_catalog_v1_DeleteOrganizationRequestInput, _sluice_catalog_v1_DeletedInput, _sluice_catalog_v1_DeleteOrganizationRequest, _sluice_catalog_v1_Deleted>
  DeleteProject: MethodDefinition<_sluice_catalog_v1_DeleteProjectRequestInput, _sluice_catalog_v1_DeletedInput, _sluice_catalog_v1_DeleteProjectRequest, _sluice_catalog_v1_Deleted>
  DeleteResource: MethodDefinition<_sluice_catalog_v1_ResourceReferenceInput, _sluice_catalog_v1_DeletedInput, _sluice_catalog_v1_ResourceReference, _sluice_catalog_v1_Deleted>
  DescribeInvitation: MethodDefinition<_sluice_catalog_v1_DescribeInvitationRequestInput, _sluice_catalog_v1_InvitationDescriptionInput, _sluice_catalog_v1_DescribeInvitationRequest, _sluice_catalog_v1_InvitationDescription>
  EndSessions: MethodDefinition<_sluice_catalog_v1_EndSessionsRequestInput, _sluice_catalog_v1_AccountDetailsInput, _sluice_catalog_v1_EndSessionsRequest, _sluice_catalog_v1_AccountDetails>
  EraseAccount: MethodDefinition<_sluice_catalog_v1_EraseAccountRequestInput, _sluice_catalog_v1_EraseAccountReplyInput, _sluice_catalog_v1_EraseAccountRequest, _sluice_catalog_v1_EraseAccountReply>
  EraseOwnAccount: MethodDefinition<_sluice_catalog_v1_EraseOwnAccountRequestInput, _sluice_catalog_v1_EraseAccountReplyInput, _sluice_catalog_v1_EraseOwnAccountRequest, _sluice_catalog_v1_EraseAccountReply>
  ExportOwnData: MethodDefinition<_sluice_catalog_v1_ExportOwnDataRequestInput, _sluice_catalog_v1_ExportPersonalDataReplyInput, _sluice_catalog_v1_ExportOwnDataRequest, _sluice_catalog_v1_ExportPersonalDataReply>
  ExportPersonalData: MethodDefinition<_sluice_catalog_v1_ExportPersonalDataRequestInput, _sluice_catalog_v1_ExportPersonalDataReplyInput, _sluice_catalog_v1_ExportPersonalDataRequest, _sluice_catalog_v1_ExportPersonalDataReply>
  GetLimits: MethodDefinition<_sluice_catalog_v1_GetLimitsRequestInput, _sluice_catalog_v1_GetLimitsReplyInput, _sluice_catalog_v1_GetLimitsRequest, _sluice_catalog_v1_GetLimitsReply>
  GetOrganization: MethodDefinition<_sluice_catalog_v1_GetOrganizationRequestInput, _sluice_catalog_v1_OrganizationDetailsInput, _sluice_catalog_v1_GetOrganizationRequest, _sluice_catalog_v1_OrganizationDetails>
  GetResource: MethodDefinition<_sluice_catalog_v1_ResourceReferenceInput, _sluice_catalog_v1_ResourceInput, _sluice_catalog_v1_ResourceReference, _sluice_catalog_v1_Resource>
  IssuePlaygroundToken: MethodDefinition<_sluice_catalog_v1_IssueOwnPlaygroundTokenRequestInput, _sluice_catalog_v1_IssuePlaygroundTokenReplyInput, _sluice_catalog_v1_IssueOwnPlaygroundTokenRequest, _sluice_catalog_v1_IssuePlaygroundTokenReply>
  ListAccounts: MethodDefinition<_sluice_catalog_v1_ListAccountsRequestInput, _sluice_catalog_v1_ListAccountsReplyInput, _sluice_catalog_v1_ListAccountsRequest, _sluice_catalog_v1_ListAccountsReply>
  ListApiKeys: MethodDefinition<_sluice_catalog_v1_ListApiKeysRequestInput, _sluice_catalog_v1_ListApiKeysReplyInput, _sluice_catalog_v1_ListApiKeysRequest, _sluice_catalog_v1_ListApiKeysReply>
  ListAudit: MethodDefinition<_sluice_catalog_v1_ListAuditRequestInput, _sluice_catalog_v1_ListAuditReplyInput, _sluice_catalog_v1_ListAuditRequest, _sluice_catalog_v1_ListAuditReply>
  ListInvitations: MethodDefinition<_sluice_catalog_v1_ListInvitationsRequestInput, _sluice_catalog_v1_ListInvitationsReplyInput, _sluice_catalog_v1_ListInvitationsRequest, _sluice_catalog_v1_ListInvitationsReply>
  ListMembers: MethodDefinition<_sluice_catalog_v1_ListMembersRequestInput, _sluice_catalog_v1_ListMembersReplyInput, _sluice_catalog_v1_ListMembersRequest, _sluice_catalog_v1_ListMembersReply>
  ListModels: MethodDefinition<_sluice_catalog_v1_ListOfferedModelsRequestInput, _sluice_catalog_v1_ListOfferedModelsReplyInput, _sluice_catalog_v1_ListOfferedModelsRequest, _sluice_catalog_v1_ListOfferedModelsReply>
  ListOrganizations: MethodDefinition<_sluice_catalog_v1_ListOrganizationsRequestInput, _sluice_catalog_v1_ListOrganizationsReplyInput, _sluice_catalog_v1_ListOrganizationsRequest, _sluice_catalog_v1_ListOrganizationsReply>
  ListPlatformResources: MethodDefinition<_sluice_catalog_v1_ListPlatformResourcesRequestInput, _sluice_catalog_v1_ListPlatformResourcesReplyInput, _sluice_catalog_v1_ListPlatformResourcesRequest, _sluice_catalog_v1_ListPlatformResourcesReply>
  ListProjects: MethodDefinition<_sluice_catalog_v1_ListProjectsRequestInput, _sluice_catalog_v1_ListProjectsReplyInput, _sluice_catalog_v1_ListProjectsRequest, _sluice_catalog_v1_ListProjectsReply>
  RedeemSignInLink: MethodDefinition<_sluice_catalog_v1_RedeemSignInLinkRequestInput, _sluice_catalog_v1_SignedInInput, _sluice_catalog_v1_RedeemSignInLinkRequest, _sluice_catalog_v1_SignedIn>
  RemoveMember: MethodDefinition<_sluice_catalog_v1_RemoveMemberRequestInput, _sluice_catalog_v1_DeletedInput, _sluice_catalog_v1_RemoveMemberRequest, _sluice_catalog_v1_Deleted>
  RenameProject: MethodDefinition<_sluice_catalog_v1_RenameProjectRequestInput, _sluice_catalog_v1_ProjectDetailsInput, _sluice_catalog_v1_RenameProjectRequest, _sluice_catalog_v1_ProjectDetails>
  RevokeApiKey: MethodDefinition<_sluice_catalog_v1_RevokeOrganizationApiKeyRequestInput, _sluice_catalog_v1_ApiKeyDetailsInput, _sluice_catalog_v1_RevokeOrganizationApiKeyRequest, _sluice_catalog_v1_ApiKeyDetails>
  RevokeInvitation: MethodDefinition<_sluice_catalog_v1_RevokeInvitationRequestInput, _sluice_catalog_v1_DeletedInput, _sluice_catalog_v1_RevokeInvitationRequest, _sluice_catalog_v1_Deleted>
  SetAccountAccess: MethodDefinition<_sluice_catalog_v1_SetAccountAccessRequestInput, _sluice_catalog_v1_AccountDetailsInput, _sluice_catalog_v1_SetAccountAccessRequest, _sluice_catalog_v1_AccountDetails>
  SetAccountRestricted: MethodDefinition<_sluice_catalog_v1_SetAccountRestrictedRequestInput, _sluice_catalog_v1_AccountDetailsInput, _sluice_catalog_v1_SetAccountRestrictedRequest, _sluice_catalog_v1_AccountDetails>
  SetMemberRole: MethodDefinition<_sluice_catalog_v1_SetMemberRoleRequestInput, _sluice_catalog_v1_MemberDetailsInput, _sluice_catalog_v1_SetMemberRoleRequest, _sluice_catalog_v1_MemberDetails>
  SetOperator: MethodDefinition<_sluice_catalog_v1_SetOperatorRequestInput, _sluice_catalog_v1_AccountDetailsInput, _sluice_catalog_v1_SetOperatorRequest, _sluice_catalog_v1_AccountDetails>
  SignIn: MethodDefinition<_sluice_catalog_v1_SignInRequestInput, _sluice_catalog_v1_SignedInInput, _sluice_catalog_v1_SignInRequest, _sluice_catalog_v1_SignedIn>
  SignOut: MethodDefinition<_sluice_catalog_v1_SignOutRequestInput, _sluice_catalog_v1_SignOutReplyInput, _sluice_catalog_v1_SignOutRequest, _sluice_catalog_v1_SignOutReply>
  UpdateOrganization: MethodDefinition<_sluice_catalog_v1_UpdateOrganizationRequestInput, _sluice_catalog_v1_UpdateOrganizationReplyInput, _sluice_catalog_v1_UpdateOrganizationRequest, _sluice_catalog_v1_UpdateOrganizationReply>
  UpdateResource: MethodDefinition<_sluice_catalog_v1_ResourceInput, _sluice_catalog_v1_ResourceInput, _sluice_catalog_v1_Resource, _sluice_catalog_v1_Resource>
  WhoAmI: MethodDefinition<_sluice_catalog_v1_WhoAmIRequestInput, _sluice_catalog_v1_WhoAmIReplyInput, _sluice_catalog_v1_WhoAmIRequest, _sluice_catalog_v1_WhoAmIReply>
}
