// Original file: proto/catalog/v1/console.proto

import type { OrganizationSummaryInput as _sluice_catalog_v1_OrganizationSummaryInput, OrganizationSummary as _sluice_catalog_v1_OrganizationSummary } from '../../../sluice/catalog/v1/OrganizationSummary.ts';

export interface ListOrganizationsReplyInput {
  'organizations'?: (_sluice_catalog_v1_OrganizationSummaryInput)[];
  'nextAfter'?: (string);
  'total'?: (number);
}

export interface ListOrganizationsReply {
  'organizations': (_sluice_catalog_v1_OrganizationSummary)[];
  'nextAfter': (string);
  'total': (number);
}
