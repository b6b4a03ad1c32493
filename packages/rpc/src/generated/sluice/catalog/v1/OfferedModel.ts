// Original file: proto/catalog/v1/console.proto

import type { ReasoningInput as _sluice_catalog_v1_ReasoningInput, Reasoning as _sluice_catalog_v1_Reasoning } from '../../../sluice/catalog/v1/Reasoning.ts';
import type { Long } from '@grpc/proto-loader';

/**
 * A model as the HTTP interface shows it.
 */
export interface OfferedModelInput {
  'id'?: (string);
  'created'?: (number | string | Long);
  'ownedBy'?: (string);
  'shutdownDate'?: (string);
  'contextLength'?: (number | string | Long);
  'maxOutputTokens'?: (number | string | Long);
  'defaultMaxTokens'?: (number | string | Long);
  'reasoning'?: (_sluice_catalog_v1_ReasoningInput | null);
  '_shutdownDate'?: "shutdownDate";
  '_contextLength'?: "contextLength";
  '_maxOutputTokens'?: "maxOutputTokens";
  '_defaultMaxTokens'?: "defaultMaxTokens";
}

/**
 * A model as the HTTP interface shows it.
 */
export interface OfferedModel {
  'id': (string);
  'created': (number);
  'ownedBy': (string);
  'shutdownDate'?: (string);
  'contextLength'?: (number);
  'maxOutputTokens'?: (number);
  'defaultMaxTokens'?: (number);
  'reasoning': (_sluice_catalog_v1_Reasoning | null);
  '_shutdownDate'?: "shutdownDate";
  '_contextLength'?: "contextLength";
  '_maxOutputTokens'?: "maxOutputTokens";
  '_defaultMaxTokens'?: "defaultMaxTokens";
}
