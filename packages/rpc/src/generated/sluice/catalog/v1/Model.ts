// Original file: proto/catalog/v1/catalog.proto

import type { ReasoningInput as _sluice_catalog_v1_ReasoningInput, Reasoning as _sluice_catalog_v1_Reasoning } from '../../../sluice/catalog/v1/Reasoning.ts';
import type { ModelTargetInput as _sluice_catalog_v1_ModelTargetInput, ModelTarget as _sluice_catalog_v1_ModelTarget } from '../../../sluice/catalog/v1/ModelTarget.ts';
import type { Long } from '@grpc/proto-loader';

export interface ModelInput {
  'id'?: (string);
  'created'?: (number | string | Long);
  'ownedBy'?: (string);
  'shutdownDate'?: (string);
  'contextLength'?: (number | string | Long);
  'maxOutputTokens'?: (number | string | Long);
  'defaultMaxTokens'?: (number | string | Long);
  'reasoning'?: (_sluice_catalog_v1_ReasoningInput | null);
  /**
   * This field and the following ones are internal. The HTTP interface does not show them.
   */
  'pool'?: (string);
  'runtimeModel'?: (string);
  /**
   * required | optional
   */
  'reasoningHistory'?: (string);
  'inputTokenRatio'?: (number | string);
  /**
   * Empty: the only target is `pool` and `runtime_model`. Otherwise these two are those of the target with the largest
   * weight, for gateways of version 0.2.0.
   */
  'targets'?: (_sluice_catalog_v1_ModelTargetInput)[];
  /**
   * Seconds that a request may wait for the first worker of its pool.
   */
  'wakeTimeout'?: (number);
  '_shutdownDate'?: "shutdownDate";
  '_contextLength'?: "contextLength";
  '_maxOutputTokens'?: "maxOutputTokens";
  '_defaultMaxTokens'?: "defaultMaxTokens";
  '_wakeTimeout'?: "wakeTimeout";
}

export interface Model {
  'id': (string);
  'created': (number);
  'ownedBy': (string);
  'shutdownDate'?: (string);
  'contextLength'?: (number);
  'maxOutputTokens'?: (number);
  'defaultMaxTokens'?: (number);
  'reasoning': (_sluice_catalog_v1_Reasoning | null);
  /**
   * This field and the following ones are internal. The HTTP interface does not show them.
   */
  'pool': (string);
  'runtimeModel': (string);
  /**
   * required | optional
   */
  'reasoningHistory': (string);
  'inputTokenRatio': (number);
  /**
   * Empty: the only target is `pool` and `runtime_model`. Otherwise these two are those of the target with the largest
   * weight, for gateways of version 0.2.0.
   */
  'targets': (_sluice_catalog_v1_ModelTarget)[];
  /**
   * Seconds that a request may wait for the first worker of its pool.
   */
  'wakeTimeout'?: (number);
  '_shutdownDate'?: "shutdownDate";
  '_contextLength'?: "contextLength";
  '_maxOutputTokens'?: "maxOutputTokens";
  '_defaultMaxTokens'?: "defaultMaxTokens";
  '_wakeTimeout'?: "wakeTimeout";
}
