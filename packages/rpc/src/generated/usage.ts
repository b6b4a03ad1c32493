import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { AttemptInfoInput as _sluice_usage_v1_AttemptInfoInput, AttemptInfo as _sluice_usage_v1_AttemptInfo } from './sluice/usage/v1/AttemptInfo.ts';
import type { BudgetInfoInput as _sluice_usage_v1_BudgetInfoInput, BudgetInfo as _sluice_usage_v1_BudgetInfo } from './sluice/usage/v1/BudgetInfo.ts';
import type { BudgetWebhookInput as _sluice_usage_v1_BudgetWebhookInput, BudgetWebhook as _sluice_usage_v1_BudgetWebhook } from './sluice/usage/v1/BudgetWebhook.ts';
import type { ExplainReplyInput as _sluice_usage_v1_ExplainReplyInput, ExplainReply as _sluice_usage_v1_ExplainReply } from './sluice/usage/v1/ExplainReply.ts';
import type { ExplainRequestInput as _sluice_usage_v1_ExplainRequestInput, ExplainRequest as _sluice_usage_v1_ExplainRequest } from './sluice/usage/v1/ExplainRequest.ts';
import type { FreshnessInput as _sluice_usage_v1_FreshnessInput, Freshness as _sluice_usage_v1_Freshness } from './sluice/usage/v1/Freshness.ts';
import type { GetWebhookSecretReplyInput as _sluice_usage_v1_GetWebhookSecretReplyInput, GetWebhookSecretReply as _sluice_usage_v1_GetWebhookSecretReply } from './sluice/usage/v1/GetWebhookSecretReply.ts';
import type { GetWebhookSecretRequestInput as _sluice_usage_v1_GetWebhookSecretRequestInput, GetWebhookSecretRequest as _sluice_usage_v1_GetWebhookSecretRequest } from './sluice/usage/v1/GetWebhookSecretRequest.ts';
import type { LastUseInput as _sluice_usage_v1_LastUseInput, LastUse as _sluice_usage_v1_LastUse } from './sluice/usage/v1/LastUse.ts';
import type { LastUsesReplyInput as _sluice_usage_v1_LastUsesReplyInput, LastUsesReply as _sluice_usage_v1_LastUsesReply } from './sluice/usage/v1/LastUsesReply.ts';
import type { LastUsesRequestInput as _sluice_usage_v1_LastUsesRequestInput, LastUsesRequest as _sluice_usage_v1_LastUsesRequest } from './sluice/usage/v1/LastUsesRequest.ts';
import type { LimitInfoInput as _sluice_usage_v1_LimitInfoInput, LimitInfo as _sluice_usage_v1_LimitInfo } from './sluice/usage/v1/LimitInfo.ts';
import type { LimitsInfoInput as _sluice_usage_v1_LimitsInfoInput, LimitsInfo as _sluice_usage_v1_LimitsInfo } from './sluice/usage/v1/LimitsInfo.ts';
import type { ListBudgetsReplyInput as _sluice_usage_v1_ListBudgetsReplyInput, ListBudgetsReply as _sluice_usage_v1_ListBudgetsReply } from './sluice/usage/v1/ListBudgetsReply.ts';
import type { ListBudgetsRequestInput as _sluice_usage_v1_ListBudgetsRequestInput, ListBudgetsRequest as _sluice_usage_v1_ListBudgetsRequest } from './sluice/usage/v1/ListBudgetsRequest.ts';
import type { ListRequestsReplyInput as _sluice_usage_v1_ListRequestsReplyInput, ListRequestsReply as _sluice_usage_v1_ListRequestsReply } from './sluice/usage/v1/ListRequestsReply.ts';
import type { ListRequestsRequestInput as _sluice_usage_v1_ListRequestsRequestInput, ListRequestsRequest as _sluice_usage_v1_ListRequestsRequest } from './sluice/usage/v1/ListRequestsRequest.ts';
import type { OfferInfoInput as _sluice_usage_v1_OfferInfoInput, OfferInfo as _sluice_usage_v1_OfferInfo } from './sluice/usage/v1/OfferInfo.ts';
import type { RequestInfoInput as _sluice_usage_v1_RequestInfoInput, RequestInfo as _sluice_usage_v1_RequestInfo } from './sluice/usage/v1/RequestInfo.ts';
import type { SumUsageReplyInput as _sluice_usage_v1_SumUsageReplyInput, SumUsageReply as _sluice_usage_v1_SumUsageReply } from './sluice/usage/v1/SumUsageReply.ts';
import type { SumUsageRequestInput as _sluice_usage_v1_SumUsageRequestInput, SumUsageRequest as _sluice_usage_v1_SumUsageRequest } from './sluice/usage/v1/SumUsageRequest.ts';
import type { UsageClient as _sluice_usage_v1_UsageClient, UsageDefinition as _sluice_usage_v1_UsageDefinition } from './sluice/usage/v1/Usage.ts';
import type { UsageGroupInput as _sluice_usage_v1_UsageGroupInput, UsageGroup as _sluice_usage_v1_UsageGroup } from './sluice/usage/v1/UsageGroup.ts';
import type { UsageSumsInput as _sluice_usage_v1_UsageSumsInput, UsageSums as _sluice_usage_v1_UsageSums } from './sluice/usage/v1/UsageSums.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  sluice: {
    usage: {
      v1: {
        AttemptInfo: MessageTypeDefinition<_sluice_usage_v1_AttemptInfoInput, _sluice_usage_v1_AttemptInfo>
        BudgetInfo: MessageTypeDefinition<_sluice_usage_v1_BudgetInfoInput, _sluice_usage_v1_BudgetInfo>
        BudgetWebhook: MessageTypeDefinition<_sluice_usage_v1_BudgetWebhookInput, _sluice_usage_v1_BudgetWebhook>
        ExplainReply: MessageTypeDefinition<_sluice_usage_v1_ExplainReplyInput, _sluice_usage_v1_ExplainReply>
        ExplainRequest: MessageTypeDefinition<_sluice_usage_v1_ExplainRequestInput, _sluice_usage_v1_ExplainRequest>
        Freshness: MessageTypeDefinition<_sluice_usage_v1_FreshnessInput, _sluice_usage_v1_Freshness>
        GetWebhookSecretReply: MessageTypeDefinition<_sluice_usage_v1_GetWebhookSecretReplyInput, _sluice_usage_v1_GetWebhookSecretReply>
        GetWebhookSecretRequest: MessageTypeDefinition<_sluice_usage_v1_GetWebhookSecretRequestInput, _sluice_usage_v1_GetWebhookSecretRequest>
        LastUse: MessageTypeDefinition<_sluice_usage_v1_LastUseInput, _sluice_usage_v1_LastUse>
        LastUsesReply: MessageTypeDefinition<_sluice_usage_v1_LastUsesReplyInput, _sluice_usage_v1_LastUsesReply>
        LastUsesRequest: MessageTypeDefinition<_sluice_usage_v1_LastUsesRequestInput, _sluice_usage_v1_LastUsesRequest>
        LimitInfo: MessageTypeDefinition<_sluice_usage_v1_LimitInfoInput, _sluice_usage_v1_LimitInfo>
        LimitsInfo: MessageTypeDefinition<_sluice_usage_v1_LimitsInfoInput, _sluice_usage_v1_LimitsInfo>
        ListBudgetsReply: MessageTypeDefinition<_sluice_usage_v1_ListBudgetsReplyInput, _sluice_usage_v1_ListBudgetsReply>
        ListBudgetsRequest: MessageTypeDefinition<_sluice_usage_v1_ListBudgetsRequestInput, _sluice_usage_v1_ListBudgetsRequest>
        ListRequestsReply: MessageTypeDefinition<_sluice_usage_v1_ListRequestsReplyInput, _sluice_usage_v1_ListRequestsReply>
        ListRequestsRequest: MessageTypeDefinition<_sluice_usage_v1_ListRequestsRequestInput, _sluice_usage_v1_ListRequestsRequest>
        OfferInfo: MessageTypeDefinition<_sluice_usage_v1_OfferInfoInput, _sluice_usage_v1_OfferInfo>
        RequestInfo: MessageTypeDefinition<_sluice_usage_v1_RequestInfoInput, _sluice_usage_v1_RequestInfo>
        SumUsageReply: MessageTypeDefinition<_sluice_usage_v1_SumUsageReplyInput, _sluice_usage_v1_SumUsageReply>
        SumUsageRequest: MessageTypeDefinition<_sluice_usage_v1_SumUsageRequestInput, _sluice_usage_v1_SumUsageRequest>
        /**
         * The outcomes of requests, and what they used. No message has a field for content.
         * A caller sends an admin token in `authorization: Bearer TOKEN`.
         */
        Usage: SubtypeConstructor<typeof grpc.Client, _sluice_usage_v1_UsageClient> & { service: _sluice_usage_v1_UsageDefinition }
        UsageGroup: MessageTypeDefinition<_sluice_usage_v1_UsageGroupInput, _sluice_usage_v1_UsageGroup>
        UsageSums: MessageTypeDefinition<_sluice_usage_v1_UsageSumsInput, _sluice_usage_v1_UsageSums>
      }
    }
  }
}

