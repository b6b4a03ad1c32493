// Original file: proto/catalog/v1/console.proto

import type { InvitationDetailsInput as _sluice_catalog_v1_InvitationDetailsInput, InvitationDetails as _sluice_catalog_v1_InvitationDetails } from '../../../sluice/catalog/v1/InvitationDetails.ts';

export interface ListInvitationsReplyInput {
  /**
   * Invitations that have not expired, the newest first.
   */
  'invitations'?: (_sluice_catalog_v1_InvitationDetailsInput)[];
}

export interface ListInvitationsReply {
  /**
   * Invitations that have not expired, the newest first.
   */
  'invitations': (_sluice_catalog_v1_InvitationDetails)[];
}
