// Original file: proto/catalog/v1/console.proto

import type { AccountDetailsInput as _sluice_catalog_v1_AccountDetailsInput, AccountDetails as _sluice_catalog_v1_AccountDetails } from '../../../sluice/catalog/v1/AccountDetails.ts';

export interface ListAccountsReplyInput {
  'accounts'?: (_sluice_catalog_v1_AccountDetailsInput)[];
  'nextAfter'?: (string);
  'total'?: (number);
}

export interface ListAccountsReply {
  'accounts': (_sluice_catalog_v1_AccountDetails)[];
  'nextAfter': (string);
  'total': (number);
}
