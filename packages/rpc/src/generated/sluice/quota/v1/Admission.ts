// Original file: proto/quota/v1/quota.proto

import type { LimitsInput as _sluice_quota_v1_LimitsInput, Limits as _sluice_quota_v1_Limits } from '../../../sluice/quota/v1/Limits.ts';
import type { RevisionInput as _sluice_quota_v1_RevisionInput, Revision as _sluice_quota_v1_Revision } from '../../../sluice/quota/v1/Revision.ts';

export interface AdmissionInput {
  /**
   * Chosen by the caller, unique among its unanswered admissions on the stream.
   */
  'id'?: (number);
  'organization'?: (string);
  'limits'?: (_sluice_quota_v1_LimitsInput | null);
  'revision'?: (_sluice_quota_v1_RevisionInput | null);
  'requests'?: (number | string);
  'tokens'?: (number | string);
  /**
   * W3C trace context, empty when tracing is off.
   */
  'traceparent'?: (string);
  /**
   * The id of the client's request, only for logs; empty without a request.
   */
  'requestId'?: (string);
}

export interface Admission {
  /**
   * Chosen by the caller, unique among its unanswered admissions on the stream.
   */
  'id': (number);
  'organization': (string);
  'limits': (_sluice_quota_v1_Limits | null);
  'revision': (_sluice_quota_v1_Revision | null);
  'requests': (number);
  'tokens': (number);
  /**
   * W3C trace context, empty when tracing is off.
   */
  'traceparent': (string);
  /**
   * The id of the client's request, only for logs; empty without a request.
   */
  'requestId': (string);
}
