// Original file: proto/quota/v1/quota.proto

import type { DecisionInput as _sluice_quota_v1_DecisionInput, Decision as _sluice_quota_v1_Decision } from '../../../sluice/quota/v1/Decision.ts';

export interface DecisionBatchInput {
  'decisions'?: (_sluice_quota_v1_DecisionInput)[];
  /**
   * This replica is about to stop: the caller sends nothing more on this
   * stream, gets the answers it still waits for, and uses other replicas.
   */
  'draining'?: (boolean);
}

export interface DecisionBatch {
  'decisions': (_sluice_quota_v1_Decision)[];
  /**
   * This replica is about to stop: the caller sends nothing more on this
   * stream, gets the answers it still waits for, and uses other replicas.
   */
  'draining': (boolean);
}
