// Original file: proto/catalog/v1/budgets.proto

import type { DatedPriceInput as _sluice_catalog_v1_DatedPriceInput, DatedPrice as _sluice_catalog_v1_DatedPrice } from '../../../sluice/catalog/v1/DatedPrice.ts';

export interface PricedModelInput {
  'id'?: (string);
  /**
   * The oldest first.
   */
  'prices'?: (_sluice_catalog_v1_DatedPriceInput)[];
}

export interface PricedModel {
  'id': (string);
  /**
   * The oldest first.
   */
  'prices': (_sluice_catalog_v1_DatedPrice)[];
}
