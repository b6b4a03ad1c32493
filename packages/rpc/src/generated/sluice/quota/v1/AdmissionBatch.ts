// Original file: proto/quota/v1/quota.proto

import type { AdmissionInput as _sluice_quota_v1_AdmissionInput, Admission as _sluice_quota_v1_Admission } from '../../../sluice/quota/v1/Admission.ts';

export interface AdmissionBatchInput {
  'admissions'?: (_sluice_quota_v1_AdmissionInput)[];
}

export interface AdmissionBatch {
  'admissions': (_sluice_quota_v1_Admission)[];
}
