// Original file: proto/catalog/v1/catalog.proto

import type { PrincipalInput as _sluice_catalog_v1_PrincipalInput, Principal as _sluice_catalog_v1_Principal } from '../../../sluice/catalog/v1/Principal.ts';
import type { StorePositionInput as _sluice_catalog_v1_StorePositionInput, StorePosition as _sluice_catalog_v1_StorePosition } from '../../../sluice/catalog/v1/StorePosition.ts';

export interface ResolveCredentialReplyInput {
  /**
   * Absent: the credential is malformed, unknown, revoked or expired (401).
   */
  'principal'?: (_sluice_catalog_v1_PrincipalInput | null);
  /**
   * The answer was true at this position.
   */
  'position'?: (_sluice_catalog_v1_StorePositionInput | null);
}

export interface ResolveCredentialReply {
  /**
   * Absent: the credential is malformed, unknown, revoked or expired (401).
   */
  'principal': (_sluice_catalog_v1_Principal | null);
  /**
   * The answer was true at this position.
   */
  'position': (_sluice_catalog_v1_StorePosition | null);
}
