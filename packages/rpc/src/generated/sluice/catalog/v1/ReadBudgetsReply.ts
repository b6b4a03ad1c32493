// Original file: proto/catalog/v1/budgets.proto

import type { PricedModelInput as _sluice_catalog_v1_PricedModelInput, PricedModel as _sluice_catalog_v1_PricedModel } from '../../../sluice/catalog/v1/PricedModel.ts';
import type { OrganizationBudgetInput as _sluice_catalog_v1_OrganizationBudgetInput, OrganizationBudget as _sluice_catalog_v1_OrganizationBudget } from '../../../sluice/catalog/v1/OrganizationBudget.ts';

export interface ReadBudgetsReplyInput {
  'tag'?: (string);
  /**
   * Models that have prices.
   */
  'models'?: (_sluice_catalog_v1_PricedModelInput)[];
  /**
   * Organizations that have a budget, a webhook or a stop.
   */
  'organizations'?: (_sluice_catalog_v1_OrganizationBudgetInput)[];
}

export interface ReadBudgetsReply {
  'tag': (string);
  /**
   * Models that have prices.
   */
  'models': (_sluice_catalog_v1_PricedModel)[];
  /**
   * Organizations that have a budget, a webhook or a stop.
   */
  'organizations': (_sluice_catalog_v1_OrganizationBudget)[];
}
