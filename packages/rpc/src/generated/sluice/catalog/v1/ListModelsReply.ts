// Original file: proto/catalog/v1/catalog.proto

import type { ModelInput as _sluice_catalog_v1_ModelInput, Model as _sluice_catalog_v1_Model } from '../../../sluice/catalog/v1/Model.ts';
import type { StorePositionInput as _sluice_catalog_v1_StorePositionInput, StorePosition as _sluice_catalog_v1_StorePosition } from '../../../sluice/catalog/v1/StorePosition.ts';

export interface ListModelsReplyInput {
  /**
   * Set only in the message within `encoded_models`. All models of the organization's plan, including those whose
   * shutdown date has passed, because the reader checks dates at each request.
   */
  'models'?: (_sluice_catalog_v1_ModelInput)[];
  'position'?: (_sluice_catalog_v1_StorePositionInput | null);
  /**
   * Identifies the content of the list: lists with the same tag are equal.
   */
  'tag'?: (string);
  /**
   * Set if the reader does not know the tag: a ListModelsReply that has only
   * models, encoded once for all readers.
   */
  'encodedModels'?: (Buffer | Uint8Array | string);
  '_encodedModels'?: "encodedModels";
}

export interface ListModelsReply {
  /**
   * Set only in the message within `encoded_models`. All models of the organization's plan, including those whose
   * shutdown date has passed, because the reader checks dates at each request.
   */
  'models': (_sluice_catalog_v1_Model)[];
  'position': (_sluice_catalog_v1_StorePosition | null);
  /**
   * Identifies the content of the list: lists with the same tag are equal.
   */
  'tag': (string);
  /**
   * Set if the reader does not know the tag: a ListModelsReply that has only
   * models, encoded once for all readers.
   */
  'encodedModels'?: (Buffer);
  '_encodedModels'?: "encodedModels";
}
