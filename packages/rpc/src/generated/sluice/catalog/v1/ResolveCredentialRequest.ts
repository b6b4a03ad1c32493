// Original file: proto/catalog/v1/catalog.proto

import type { StorePositionInput as _sluice_catalog_v1_StorePositionInput, StorePosition as _sluice_catalog_v1_StorePosition } from '../../../sluice/catalog/v1/StorePosition.ts';

export interface ResolveCredentialRequestInput {
  /**
   * SHA-256 of the API key: the key itself never leaves the gateway.
   */
  'apiKeySha256'?: (Buffer | Uint8Array | string);
  'playgroundToken'?: (string);
  'atLeast'?: (_sluice_catalog_v1_StorePositionInput | null);
  'credential'?: "apiKeySha256"|"playgroundToken";
}

export interface ResolveCredentialRequest {
  /**
   * SHA-256 of the API key: the key itself never leaves the gateway.
   */
  'apiKeySha256'?: (Buffer);
  'playgroundToken'?: (string);
  'atLeast': (_sluice_catalog_v1_StorePosition | null);
  'credential'?: "apiKeySha256"|"playgroundToken";
}
