// Original file: proto/catalog/v1/console.proto

import type { MemberDetailsInput as _sluice_catalog_v1_MemberDetailsInput, MemberDetails as _sluice_catalog_v1_MemberDetails } from '../../../sluice/catalog/v1/MemberDetails.ts';

export interface ListMembersReplyInput {
  'members'?: (_sluice_catalog_v1_MemberDetailsInput)[];
  'nextAfter'?: (string);
  'total'?: (number);
}

export interface ListMembersReply {
  'members': (_sluice_catalog_v1_MemberDetails)[];
  'nextAfter': (string);
  'total': (number);
}
