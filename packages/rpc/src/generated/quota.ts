import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { AdmissionInput as _sluice_quota_v1_AdmissionInput, Admission as _sluice_quota_v1_Admission } from './sluice/quota/v1/Admission.ts';
import type { AdmissionBatchInput as _sluice_quota_v1_AdmissionBatchInput, AdmissionBatch as _sluice_quota_v1_AdmissionBatch } from './sluice/quota/v1/AdmissionBatch.ts';
import type { DecisionInput as _sluice_quota_v1_DecisionInput, Decision as _sluice_quota_v1_Decision } from './sluice/quota/v1/Decision.ts';
import type { DecisionBatchInput as _sluice_quota_v1_DecisionBatchInput, DecisionBatch as _sluice_quota_v1_DecisionBatch } from './sluice/quota/v1/DecisionBatch.ts';
import type { LimitsInput as _sluice_quota_v1_LimitsInput, Limits as _sluice_quota_v1_Limits } from './sluice/quota/v1/Limits.ts';
import type { QuotaClient as _sluice_quota_v1_QuotaClient, QuotaDefinition as _sluice_quota_v1_QuotaDefinition } from './sluice/quota/v1/Quota.ts';
import type { RevisionInput as _sluice_quota_v1_RevisionInput, Revision as _sluice_quota_v1_Revision } from './sluice/quota/v1/Revision.ts';
import type { WindowInput as _sluice_quota_v1_WindowInput, Window as _sluice_quota_v1_Window } from './sluice/quota/v1/Window.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  sluice: {
    quota: {
      v1: {
        Admission: MessageTypeDefinition<_sluice_quota_v1_AdmissionInput, _sluice_quota_v1_Admission>
        AdmissionBatch: MessageTypeDefinition<_sluice_quota_v1_AdmissionBatchInput, _sluice_quota_v1_AdmissionBatch>
        Decision: MessageTypeDefinition<_sluice_quota_v1_DecisionInput, _sluice_quota_v1_Decision>
        DecisionBatch: MessageTypeDefinition<_sluice_quota_v1_DecisionBatchInput, _sluice_quota_v1_DecisionBatch>
        LimitName: EnumTypeDefinition
        Limits: MessageTypeDefinition<_sluice_quota_v1_LimitsInput, _sluice_quota_v1_Limits>
        Outcome: EnumTypeDefinition
        /**
         * Decides whether an organization may spend this much now.
         */
        Quota: SubtypeConstructor<typeof grpc.Client, _sluice_quota_v1_QuotaClient> & { service: _sluice_quota_v1_QuotaDefinition }
        Revision: MessageTypeDefinition<_sluice_quota_v1_RevisionInput, _sluice_quota_v1_Revision>
        Window: MessageTypeDefinition<_sluice_quota_v1_WindowInput, _sluice_quota_v1_Window>
      }
    }
  }
}

