// Original file: proto/catalog/v1/console.proto

import type { OfferedModelInput as _sluice_catalog_v1_OfferedModelInput, OfferedModel as _sluice_catalog_v1_OfferedModel } from '../../../sluice/catalog/v1/OfferedModel.ts';

export interface ListOfferedModelsReplyInput {
  'models'?: (_sluice_catalog_v1_OfferedModelInput)[];
}

export interface ListOfferedModelsReply {
  'models': (_sluice_catalog_v1_OfferedModel)[];
}
