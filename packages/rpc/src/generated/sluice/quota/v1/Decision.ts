// Original file: proto/quota/v1/quota.proto

import type { OutcomeInput as _sluice_quota_v1_OutcomeInput, Outcome as _sluice_quota_v1_Outcome } from '../../../sluice/quota/v1/Outcome.ts';
import type { LimitNameInput as _sluice_quota_v1_LimitNameInput, LimitName as _sluice_quota_v1_LimitName } from '../../../sluice/quota/v1/LimitName.ts';
import type { WindowInput as _sluice_quota_v1_WindowInput, Window as _sluice_quota_v1_Window } from '../../../sluice/quota/v1/Window.ts';

export interface DecisionInput {
  'id'?: (number);
  'outcome'?: (_sluice_quota_v1_OutcomeInput);
  /**
   * The limit with the longest wait, when refused.
   */
  'refusedBy'?: (_sluice_quota_v1_LimitNameInput);
  /**
   * Milliseconds after which the same cost fits, if no other request spends.
   */
  'waitMs'?: (number | string);
  /**
   * The cost is larger than the whole capacity of refused_by, so waiting does not help.
   */
  'exceedsCapacity'?: (boolean);
  /**
   * State after the decision; absent windows are unlimited.
   */
  'requestsPerMinute'?: (_sluice_quota_v1_WindowInput | null);
  'requestsPerDay'?: (_sluice_quota_v1_WindowInput | null);
  'tokensPerMinute'?: (_sluice_quota_v1_WindowInput | null);
  'tokensPerDay'?: (_sluice_quota_v1_WindowInput | null);
  /**
   * The store's clock at the decision.
   */
  'decidedAtMs'?: (number | string);
}

export interface Decision {
  'id': (number);
  'outcome': (_sluice_quota_v1_Outcome);
  /**
   * The limit with the longest wait, when refused.
   */
  'refusedBy': (_sluice_quota_v1_LimitName);
  /**
   * Milliseconds after which the same cost fits, if no other request spends.
   */
  'waitMs': (number);
  /**
   * The cost is larger than the whole capacity of refused_by, so waiting does not help.
   */
  'exceedsCapacity': (boolean);
  /**
   * State after the decision; absent windows are unlimited.
   */
  'requestsPerMinute': (_sluice_quota_v1_Window | null);
  'requestsPerDay': (_sluice_quota_v1_Window | null);
  'tokensPerMinute': (_sluice_quota_v1_Window | null);
  'tokensPerDay': (_sluice_quota_v1_Window | null);
  /**
   * The store's clock at the decision.
   */
  'decidedAtMs': (number);
}
