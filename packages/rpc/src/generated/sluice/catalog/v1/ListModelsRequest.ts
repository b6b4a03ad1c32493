// Original file: proto/catalog/v1/catalog.proto

import type { StorePositionInput as _sluice_catalog_v1_StorePositionInput, StorePosition as _sluice_catalog_v1_StorePosition } from '../../../sluice/catalog/v1/StorePosition.ts';

export interface ListModelsRequestInput {
  'organization'?: (string);
  'atLeast'?: (_sluice_catalog_v1_StorePositionInput | null);
  /**
   * Always true. A catalog of version 0.1.0 sends tags only if it is.
   */
  'tagged'?: (boolean);
  /**
   * Tags of lists that the reader has: none of these is sent again.
   */
  'knownTags'?: (string)[];
}

export interface ListModelsRequest {
  'organization': (string);
  'atLeast': (_sluice_catalog_v1_StorePosition | null);
  /**
   * Always true. A catalog of version 0.1.0 sends tags only if it is.
   */
  'tagged': (boolean);
  /**
   * Tags of lists that the reader has: none of these is sent again.
   */
  'knownTags': (string)[];
}
