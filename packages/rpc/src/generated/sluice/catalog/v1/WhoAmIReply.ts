// Original file: proto/catalog/v1/console.proto

import type { MembershipInput as _sluice_catalog_v1_MembershipInput, Membership as _sluice_catalog_v1_Membership } from '../../../sluice/catalog/v1/Membership.ts';

export interface WhoAmIReplyInput {
  'account'?: (string);
  'name'?: (string);
  'email'?: (string);
  /**
   * granted | waiting
   */
  'access'?: (string);
  /**
   * complete | pending
   */
  'onboarding'?: (string);
  'restricted'?: (boolean);
  'operator'?: (boolean);
  'organizations'?: (_sluice_catalog_v1_MembershipInput)[];
}

export interface WhoAmIReply {
  'account': (string);
  'name': (string);
  'email': (string);
  /**
   * granted | waiting
   */
  'access': (string);
  /**
   * complete | pending
   */
  'onboarding': (string);
  'restricted': (boolean);
  'operator': (boolean);
  'organizations': (_sluice_catalog_v1_Membership)[];
}
