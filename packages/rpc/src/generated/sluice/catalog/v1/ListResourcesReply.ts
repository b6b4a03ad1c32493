// Original file: proto/catalog/v1/catalog.proto

import type { ResourceInput as _sluice_catalog_v1_ResourceInput, Resource as _sluice_catalog_v1_Resource } from '../../../sluice/catalog/v1/Resource.ts';
import type { StorePositionInput as _sluice_catalog_v1_StorePositionInput, StorePosition as _sluice_catalog_v1_StorePosition } from '../../../sluice/catalog/v1/StorePosition.ts';

export interface ListResourcesReplyInput {
  'resources'?: (_sluice_catalog_v1_ResourceInput)[];
  'position'?: (_sluice_catalog_v1_StorePositionInput | null);
  /**
   * What to send as `after` for the next page; empty when this was the last.
   */
  'nextAfter'?: (string);
}

export interface ListResourcesReply {
  'resources': (_sluice_catalog_v1_Resource)[];
  'position': (_sluice_catalog_v1_StorePosition | null);
  /**
   * What to send as `after` for the next page; empty when this was the last.
   */
  'nextAfter': (string);
}
