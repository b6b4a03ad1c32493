// Original file: proto/catalog/v1/catalog.proto

import type { ModelInput as _sluice_catalog_v1_ModelInput, Model as _sluice_catalog_v1_Model } from '../../../sluice/catalog/v1/Model.ts';
import type { StorePositionInput as _sluice_catalog_v1_StorePositionInput, StorePosition as _sluice_catalog_v1_StorePosition } from '../../../sluice/catalog/v1/StorePosition.ts';

export interface ListModelsReplyInput {
  /**
   * Every model of the organization's plan, past shutdown dates included: the
   * reader judges dates at each request.
   */
  'models'?: (_sluice_catalog_v1_ModelInput)[];
  'position'?: (_sluice_catalog_v1_StorePositionInput | null);
}

export interface ListModelsReply {
  /**
   * Every model of the organization's plan, past shutdown dates included: the
   * reader judges dates at each request.
   */
  'models': (_sluice_catalog_v1_Model)[];
  'position': (_sluice_catalog_v1_StorePosition | null);
}
