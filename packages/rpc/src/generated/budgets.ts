import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { BudgetStopInput as _sluice_catalog_v1_BudgetStopInput, BudgetStop as _sluice_catalog_v1_BudgetStop } from './sluice/catalog/v1/BudgetStop.ts';
import type { BudgetWebhookInput as _sluice_catalog_v1_BudgetWebhookInput, BudgetWebhook as _sluice_catalog_v1_BudgetWebhook } from './sluice/catalog/v1/BudgetWebhook.ts';
import type { CatalogBudgetsClient as _sluice_catalog_v1_CatalogBudgetsClient, CatalogBudgetsDefinition as _sluice_catalog_v1_CatalogBudgetsDefinition } from './sluice/catalog/v1/CatalogBudgets.ts';
import type { DatedPriceInput as _sluice_catalog_v1_DatedPriceInput, DatedPrice as _sluice_catalog_v1_DatedPrice } from './sluice/catalog/v1/DatedPrice.ts';
import type { OrganizationBudgetInput as _sluice_catalog_v1_OrganizationBudgetInput, OrganizationBudget as _sluice_catalog_v1_OrganizationBudget } from './sluice/catalog/v1/OrganizationBudget.ts';
import type { PricedModelInput as _sluice_catalog_v1_PricedModelInput, PricedModel as _sluice_catalog_v1_PricedModel } from './sluice/catalog/v1/PricedModel.ts';
import type { ReadBudgetsReplyInput as _sluice_catalog_v1_ReadBudgetsReplyInput, ReadBudgetsReply as _sluice_catalog_v1_ReadBudgetsReply } from './sluice/catalog/v1/ReadBudgetsReply.ts';
import type { ReadBudgetsRequestInput as _sluice_catalog_v1_ReadBudgetsRequestInput, ReadBudgetsRequest as _sluice_catalog_v1_ReadBudgetsRequest } from './sluice/catalog/v1/ReadBudgetsRequest.ts';
import type { SetBudgetStopReplyInput as _sluice_catalog_v1_SetBudgetStopReplyInput, SetBudgetStopReply as _sluice_catalog_v1_SetBudgetStopReply } from './sluice/catalog/v1/SetBudgetStopReply.ts';
import type { SetBudgetStopRequestInput as _sluice_catalog_v1_SetBudgetStopRequestInput, SetBudgetStopRequest as _sluice_catalog_v1_SetBudgetStopRequest } from './sluice/catalog/v1/SetBudgetStopRequest.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  sluice: {
    catalog: {
      v1: {
        BudgetStop: MessageTypeDefinition<_sluice_catalog_v1_BudgetStopInput, _sluice_catalog_v1_BudgetStop>
        BudgetWebhook: MessageTypeDefinition<_sluice_catalog_v1_BudgetWebhookInput, _sluice_catalog_v1_BudgetWebhook>
        /**
         * The calls of the usage service: it reads prices and budgets, and sets and lifts stops. Served on the admin port, with
         * separate tokens that permit no other calls.
         */
        CatalogBudgets: SubtypeConstructor<typeof grpc.Client, _sluice_catalog_v1_CatalogBudgetsClient> & { service: _sluice_catalog_v1_CatalogBudgetsDefinition }
        DatedPrice: MessageTypeDefinition<_sluice_catalog_v1_DatedPriceInput, _sluice_catalog_v1_DatedPrice>
        OrganizationBudget: MessageTypeDefinition<_sluice_catalog_v1_OrganizationBudgetInput, _sluice_catalog_v1_OrganizationBudget>
        PricedModel: MessageTypeDefinition<_sluice_catalog_v1_PricedModelInput, _sluice_catalog_v1_PricedModel>
        ReadBudgetsReply: MessageTypeDefinition<_sluice_catalog_v1_ReadBudgetsReplyInput, _sluice_catalog_v1_ReadBudgetsReply>
        ReadBudgetsRequest: MessageTypeDefinition<_sluice_catalog_v1_ReadBudgetsRequestInput, _sluice_catalog_v1_ReadBudgetsRequest>
        SetBudgetStopReply: MessageTypeDefinition<_sluice_catalog_v1_SetBudgetStopReplyInput, _sluice_catalog_v1_SetBudgetStopReply>
        SetBudgetStopRequest: MessageTypeDefinition<_sluice_catalog_v1_SetBudgetStopRequestInput, _sluice_catalog_v1_SetBudgetStopRequest>
      }
    }
  }
}

