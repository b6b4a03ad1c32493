// Original file: proto/catalog/v1/console.proto

import type { ResourceInput as _sluice_catalog_v1_ResourceInput, Resource as _sluice_catalog_v1_Resource } from '../../../sluice/catalog/v1/Resource.ts';

export interface ListPlatformResourcesReplyInput {
  'resources'?: (_sluice_catalog_v1_ResourceInput)[];
  'nextAfter'?: (string);
  'total'?: (number);
}

export interface ListPlatformResourcesReply {
  'resources': (_sluice_catalog_v1_Resource)[];
  'nextAfter': (string);
  'total': (number);
}
