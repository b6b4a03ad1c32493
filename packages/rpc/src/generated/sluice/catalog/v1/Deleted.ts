// Original file: proto/catalog/v1/catalog.proto

import type { StorePositionInput as _sluice_catalog_v1_StorePositionInput, StorePosition as _sluice_catalog_v1_StorePosition } from '../../../sluice/catalog/v1/StorePosition.ts';

export interface DeletedInput {
  'position'?: (_sluice_catalog_v1_StorePositionInput | null);
}

export interface Deleted {
  'position': (_sluice_catalog_v1_StorePosition | null);
}
