// Original file: proto/usage/v1/usage.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { ExplainReplyInput as _sluice_usage_v1_ExplainReplyInput, ExplainReply as _sluice_usage_v1_ExplainReply } from '../../../sluice/usage/v1/ExplainReply.ts';
import type { ExplainRequestInput as _sluice_usage_v1_ExplainRequestInput, ExplainRequest as _sluice_usage_v1_ExplainRequest } from '../../../sluice/usage/v1/ExplainRequest.ts';
import type { GetWebhookSecretReplyInput as _sluice_usage_v1_GetWebhookSecretReplyInput, GetWebhookSecretReply as _sluice_usage_v1_GetWebhookSecretReply } from '../../../sluice/usage/v1/GetWebhookSecretReply.ts';
import type { GetWebhookSecretRequestInput as _sluice_usage_v1_GetWebhookSecretRequestInput, GetWebhookSecretRequest as _sluice_usage_v1_GetWebhookSecretRequest } from '../../../sluice/usage/v1/GetWebhookSecretRequest.ts';
import type { LastUsesReplyInput as _sluice_usage_v1_LastUsesReplyInput, LastUsesReply as _sluice_usage_v1_LastUsesReply } from '../../../sluice/usage/v1/LastUsesReply.ts';
import type { LastUsesRequestInput as _sluice_usage_v1_LastUsesRequestInput, LastUsesRequest as _sluice_usage_v1_LastUsesRequest } from '../../../sluice/usage/v1/LastUsesRequest.ts';
import type { ListBudgetsReplyInput as _sluice_usage_v1_ListBudgetsReplyInput, ListBudgetsReply as _sluice_usage_v1_ListBudgetsReply } from '../../../sluice/usage/v1/ListBudgetsReply.ts';
import type { ListBudgetsRequestInput as _sluice_usage_v1_ListBudgetsRequestInput, ListBudgetsRequest as _sluice_usage_v1_ListBudgetsRequest } from '../../../sluice/usage/v1/ListBudgetsRequest.ts';
import type { ListRequestsReplyInput as _sluice_usage_v1_ListRequestsReplyInput, ListRequestsReply as _sluice_usage_v1_ListRequestsReply } from '../../../sluice/usage/v1/ListRequestsReply.ts';
import type { ListRequestsRequestInput as _sluice_usage_v1_ListRequestsRequestInput, ListRequestsRequest as _sluice_usage_v1_ListRequestsRequest } from '../../../sluice/usage/v1/ListRequestsRequest.ts';
import type { SumUsageReplyInput as _sluice_usage_v1_SumUsageReplyInput, SumUsageReply as _sluice_usage_v1_SumUsageReply } from '../../../sluice/usage/v1/SumUsageReply.ts';
import type { SumUsageRequestInput as _sluice_usage_v1_SumUsageRequestInput, SumUsageRequest as _sluice_usage_v1_SumUsageRequest } from '../../../sluice/usage/v1/SumUsageRequest.ts';

/**
 * The outcomes of requests, and what they used. No message has a field for content.
 * A caller sends an admin token in `authorization: Bearer TOKEN`.
 */
export interface UsageClient extends grpc.Client {
  /**
   * One request and all attempts to serve it. NOT_FOUND if it is not known, or not yet.
   */
  Explain(argument: _sluice_usage_v1_ExplainRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_usage_v1_ExplainReply>): grpc.ClientUnaryCall;
  Explain(argument: _sluice_usage_v1_ExplainRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_usage_v1_ExplainReply>): grpc.ClientUnaryCall;
  Explain(argument: _sluice_usage_v1_ExplainRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_usage_v1_ExplainReply>): grpc.ClientUnaryCall;
  Explain(argument: _sluice_usage_v1_ExplainRequestInput, callback: grpc.requestCallback<_sluice_usage_v1_ExplainReply>): grpc.ClientUnaryCall;
  /**
   * One request and all attempts to serve it. NOT_FOUND if it is not known, or not yet.
   */
  explain(argument: _sluice_usage_v1_ExplainRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_usage_v1_ExplainReply>): grpc.ClientUnaryCall;
  explain(argument: _sluice_usage_v1_ExplainRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_usage_v1_ExplainReply>): grpc.ClientUnaryCall;
  explain(argument: _sluice_usage_v1_ExplainRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_usage_v1_ExplainReply>): grpc.ClientUnaryCall;
  explain(argument: _sluice_usage_v1_ExplainRequestInput, callback: grpc.requestCallback<_sluice_usage_v1_ExplainReply>): grpc.ClientUnaryCall;
  
  /**
   * The secret with which a receiver checks the signatures of a webhook.
   */
  GetWebhookSecret(argument: _sluice_usage_v1_GetWebhookSecretRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_usage_v1_GetWebhookSecretReply>): grpc.ClientUnaryCall;
  GetWebhookSecret(argument: _sluice_usage_v1_GetWebhookSecretRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_usage_v1_GetWebhookSecretReply>): grpc.ClientUnaryCall;
  GetWebhookSecret(argument: _sluice_usage_v1_GetWebhookSecretRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_usage_v1_GetWebhookSecretReply>): grpc.ClientUnaryCall;
  GetWebhookSecret(argument: _sluice_usage_v1_GetWebhookSecretRequestInput, callback: grpc.requestCallback<_sluice_usage_v1_GetWebhookSecretReply>): grpc.ClientUnaryCall;
  /**
   * The secret with which a receiver checks the signatures of a webhook.
   */
  getWebhookSecret(argument: _sluice_usage_v1_GetWebhookSecretRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_usage_v1_GetWebhookSecretReply>): grpc.ClientUnaryCall;
  getWebhookSecret(argument: _sluice_usage_v1_GetWebhookSecretRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_usage_v1_GetWebhookSecretReply>): grpc.ClientUnaryCall;
  getWebhookSecret(argument: _sluice_usage_v1_GetWebhookSecretRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_usage_v1_GetWebhookSecretReply>): grpc.ClientUnaryCall;
  getWebhookSecret(argument: _sluice_usage_v1_GetWebhookSecretRequestInput, callback: grpc.requestCallback<_sluice_usage_v1_GetWebhookSecretReply>): grpc.ClientUnaryCall;
  
  /**
   * When keys were last used.
   */
  LastUses(argument: _sluice_usage_v1_LastUsesRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_usage_v1_LastUsesReply>): grpc.ClientUnaryCall;
  LastUses(argument: _sluice_usage_v1_LastUsesRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_usage_v1_LastUsesReply>): grpc.ClientUnaryCall;
  LastUses(argument: _sluice_usage_v1_LastUsesRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_usage_v1_LastUsesReply>): grpc.ClientUnaryCall;
  LastUses(argument: _sluice_usage_v1_LastUsesRequestInput, callback: grpc.requestCallback<_sluice_usage_v1_LastUsesReply>): grpc.ClientUnaryCall;
  /**
   * When keys were last used.
   */
  lastUses(argument: _sluice_usage_v1_LastUsesRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_usage_v1_LastUsesReply>): grpc.ClientUnaryCall;
  lastUses(argument: _sluice_usage_v1_LastUsesRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_usage_v1_LastUsesReply>): grpc.ClientUnaryCall;
  lastUses(argument: _sluice_usage_v1_LastUsesRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_usage_v1_LastUsesReply>): grpc.ClientUnaryCall;
  lastUses(argument: _sluice_usage_v1_LastUsesRequestInput, callback: grpc.requestCallback<_sluice_usage_v1_LastUsesReply>): grpc.ClientUnaryCall;
  
  /**
   * What organizations have spent of their budgets this month. Only organizations with a budget, a webhook or a stop.
   */
  ListBudgets(argument: _sluice_usage_v1_ListBudgetsRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_usage_v1_ListBudgetsReply>): grpc.ClientUnaryCall;
  ListBudgets(argument: _sluice_usage_v1_ListBudgetsRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_usage_v1_ListBudgetsReply>): grpc.ClientUnaryCall;
  ListBudgets(argument: _sluice_usage_v1_ListBudgetsRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_usage_v1_ListBudgetsReply>): grpc.ClientUnaryCall;
  ListBudgets(argument: _sluice_usage_v1_ListBudgetsRequestInput, callback: grpc.requestCallback<_sluice_usage_v1_ListBudgetsReply>): grpc.ClientUnaryCall;
  /**
   * What organizations have spent of their budgets this month. Only organizations with a budget, a webhook or a stop.
   */
  listBudgets(argument: _sluice_usage_v1_ListBudgetsRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_usage_v1_ListBudgetsReply>): grpc.ClientUnaryCall;
  listBudgets(argument: _sluice_usage_v1_ListBudgetsRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_usage_v1_ListBudgetsReply>): grpc.ClientUnaryCall;
  listBudgets(argument: _sluice_usage_v1_ListBudgetsRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_usage_v1_ListBudgetsReply>): grpc.ClientUnaryCall;
  listBudgets(argument: _sluice_usage_v1_ListBudgetsRequestInput, callback: grpc.requestCallback<_sluice_usage_v1_ListBudgetsReply>): grpc.ClientUnaryCall;
  
  /**
   * Requests, newest first, or in the order in which they became known.
   */
  ListRequests(argument: _sluice_usage_v1_ListRequestsRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_usage_v1_ListRequestsReply>): grpc.ClientUnaryCall;
  ListRequests(argument: _sluice_usage_v1_ListRequestsRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_usage_v1_ListRequestsReply>): grpc.ClientUnaryCall;
  ListRequests(argument: _sluice_usage_v1_ListRequestsRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_usage_v1_ListRequestsReply>): grpc.ClientUnaryCall;
  ListRequests(argument: _sluice_usage_v1_ListRequestsRequestInput, callback: grpc.requestCallback<_sluice_usage_v1_ListRequestsReply>): grpc.ClientUnaryCall;
  /**
   * Requests, newest first, or in the order in which they became known.
   */
  listRequests(argument: _sluice_usage_v1_ListRequestsRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_usage_v1_ListRequestsReply>): grpc.ClientUnaryCall;
  listRequests(argument: _sluice_usage_v1_ListRequestsRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_usage_v1_ListRequestsReply>): grpc.ClientUnaryCall;
  listRequests(argument: _sluice_usage_v1_ListRequestsRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_usage_v1_ListRequestsReply>): grpc.ClientUnaryCall;
  listRequests(argument: _sluice_usage_v1_ListRequestsRequestInput, callback: grpc.requestCallback<_sluice_usage_v1_ListRequestsReply>): grpc.ClientUnaryCall;
  
  /**
   * Sums over a time, by at most two dimensions.
   */
  SumUsage(argument: _sluice_usage_v1_SumUsageRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_usage_v1_SumUsageReply>): grpc.ClientUnaryCall;
  SumUsage(argument: _sluice_usage_v1_SumUsageRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_usage_v1_SumUsageReply>): grpc.ClientUnaryCall;
  SumUsage(argument: _sluice_usage_v1_SumUsageRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_usage_v1_SumUsageReply>): grpc.ClientUnaryCall;
  SumUsage(argument: _sluice_usage_v1_SumUsageRequestInput, callback: grpc.requestCallback<_sluice_usage_v1_SumUsageReply>): grpc.ClientUnaryCall;
  /**
   * Sums over a time, by at most two dimensions.
   */
  sumUsage(argument: _sluice_usage_v1_SumUsageRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_usage_v1_SumUsageReply>): grpc.ClientUnaryCall;
  sumUsage(argument: _sluice_usage_v1_SumUsageRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_usage_v1_SumUsageReply>): grpc.ClientUnaryCall;
  sumUsage(argument: _sluice_usage_v1_SumUsageRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_usage_v1_SumUsageReply>): grpc.ClientUnaryCall;
  sumUsage(argument: _sluice_usage_v1_SumUsageRequestInput, callback: grpc.requestCallback<_sluice_usage_v1_SumUsageReply>): grpc.ClientUnaryCall;
  
}

/**
 * The outcomes of requests, and what they used. No message has a field for content.
 * A caller sends an admin token in `authorization: Bearer TOKEN`.
 */
export interface UsageHandlers extends grpc.UntypedServiceImplementation {
  /**
   * One request and all attempts to serve it. NOT_FOUND if it is not known, or not yet.
   */
  Explain: grpc.handleUnaryCall<_sluice_usage_v1_ExplainRequest, _sluice_usage_v1_ExplainReplyInput>;
  
  /**
   * The secret with which a receiver checks the signatures of a webhook.
   */
  GetWebhookSecret: grpc.handleUnaryCall<_sluice_usage_v1_GetWebhookSecretRequest, _sluice_usage_v1_GetWebhookSecretReplyInput>;
  
  /**
   * When keys were last used.
   */
  LastUses: grpc.handleUnaryCall<_sluice_usage_v1_LastUsesRequest, _sluice_usage_v1_LastUsesReplyInput>;
  
  /**
   * What organizations have spent of their budgets this month. Only organizations with a budget, a webhook or a stop.
   */
  ListBudgets: grpc.handleUnaryCall<_sluice_usage_v1_ListBudgetsRequest, _sluice_usage_v1_ListBudgetsReplyInput>;
  
  /**
   * Requests, newest first, or in the order in which they became known.
   */
  ListRequests: grpc.handleUnaryCall<_sluice_usage_v1_ListRequestsRequest, _sluice_usage_v1_ListRequestsReplyInput>;
  
  /**
   * Sums over a time, by at most two dimensions.
   */
  SumUsage: grpc.handleUnaryCall<_sluice_usage_v1_SumUsageRequest, _sluice_usage_v1_SumUsageReplyInput>;
  
}

export interface UsageDefinition extends grpc.ServiceDefinition {
  Explain: MethodDefinition<_sluice_usage_v1_ExplainRequestInput, _sluice_usage_v1_ExplainReplyInput, _sluice_usage_v1_ExplainRequest, _sluice_usage_v1_ExplainReply>
  GetWebhookSecret: MethodDefinition<_sluice_usage_v1_GetWebhookSecretRequestInput, _sluice_usage_v1_GetWebhookSecretReplyInput, _sluice_usage_v1_GetWebhookSecretRequest, _sluice_usage_v1_GetWebhookSecretReply>
  LastUses: MethodDefinition<_sluice_usage_v1_LastUsesRequestInput, _sluice_usage_v1_LastUsesReplyInput, _sluice_usage_v1_LastUsesRequest, _sluice_usage_v1_LastUsesReply>
  ListBudgets: MethodDefinition<_sluice_usage_v1_ListBudgetsRequestInput, _sluice_usage_v1_ListBudgetsReplyInput, _sluice_usage_v1_ListBudgetsRequest, _sluice_usage_v1_ListBudgetsReply>
  ListRequests: MethodDefinition<_sluice_usage_v1_ListRequestsRequestInput, _sluice_usage_v1_ListRequestsReplyInput, _sluice_usage_v1_ListRequestsRequest, _sluice_usage_v1_ListRequestsReply>
  SumUsage: MethodDefinition<_sluice_usage_v1_SumUsageRequestInput, _sluice_usage_v1_SumUsageReplyInput, _sluice_usage_v1_SumUsageRequest, _sluice_usage_v1_SumUsageReply>
}
