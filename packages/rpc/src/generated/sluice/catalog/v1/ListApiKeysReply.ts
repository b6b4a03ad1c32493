// Original file: proto/catalog/v1/console.proto

import type { ApiKeyDetailsInput as _sluice_catalog_v1_ApiKeyDetailsInput, ApiKeyDetails as _sluice_catalog_v1_ApiKeyDetails } from '../../../sluice/catalog/v1/ApiKeyDetails.ts';

export interface ListApiKeysReplyInput {
  /**
   * The newest first.
   */
  'keys'?: (_sluice_catalog_v1_ApiKeyDetailsInput)[];
  'nextAfter'?: (string);
  'total'?: (number);
}

export interface ListApiKeysReply {
  /**
   * The newest first.
   */
  'keys': (_sluice_catalog_v1_ApiKeyDetails)[];
  'nextAfter': (string);
  'total': (number);
}
