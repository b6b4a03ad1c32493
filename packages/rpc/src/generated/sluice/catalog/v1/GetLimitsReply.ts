// Original file: proto/catalog/v1/console.proto

import type { LimitsInput as _sluice_catalog_v1_LimitsInput, Limits as _sluice_catalog_v1_Limits } from '../../../sluice/catalog/v1/Limits.ts';
import type { StorePositionInput as _sluice_catalog_v1_StorePositionInput, StorePosition as _sluice_catalog_v1_StorePosition } from '../../../sluice/catalog/v1/StorePosition.ts';

export interface GetLimitsReplyInput {
  'plan'?: (string);
  'limits'?: (_sluice_catalog_v1_LimitsInput | null);
  /**
   * Revision of the limits, for the limiter.
   */
  'limitsRevision'?: (_sluice_catalog_v1_StorePositionInput | null);
}

export interface GetLimitsReply {
  'plan': (string);
  'limits': (_sluice_catalog_v1_Limits | null);
  /**
   * Revision of the limits, for the limiter.
   */
  'limitsRevision': (_sluice_catalog_v1_StorePosition | null);
}
