// Original file: proto/catalog/v1/console.proto

import type { InvitationDetailsInput as _sluice_catalog_v1_InvitationDetailsInput, InvitationDetails as _sluice_catalog_v1_InvitationDetails } from '../../../sluice/catalog/v1/InvitationDetails.ts';

export interface CreateInvitationReplyInput {
  'invitation'?: (_sluice_catalog_v1_InvitationDetailsInput | null);
  /**
   * Shown once; only its SHA-256 is stored.
   */
  'token'?: (string);
}

export interface CreateInvitationReply {
  'invitation': (_sluice_catalog_v1_InvitationDetails | null);
  /**
   * Shown once; only its SHA-256 is stored.
   */
  'token': (string);
}
