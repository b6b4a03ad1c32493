// Original file: proto/catalog/v1/catalog.proto

import type { StorePositionInput as _sluice_catalog_v1_StorePositionInput, StorePosition as _sluice_catalog_v1_StorePosition } from '../../../sluice/catalog/v1/StorePosition.ts';
import type { Long } from '@grpc/proto-loader';

export interface AuditRecordInput {
  /**
   * The position of the change in the store's history.
   */
  'position'?: (_sluice_catalog_v1_StorePositionInput | null);
  'atMs'?: (number | string | Long);
  /**
   * The name of the admin token, or `account:` and the id of an account that made the change in the console.
   */
  'who'?: (string);
  /**
   * create | update | revoke | delete. foreign: another tool changed the store, and the other fields are unknown.
   */
  'action'?: (string);
  'kind'?: (string);
  'id'?: (string);
  /**
   * The resource as JSON before and after the change, without digests of secrets. Absent if it did not exist then.
   */
  'before'?: (string);
  'after'?: (string);
  '_before'?: "before";
  '_after'?: "after";
}

export interface AuditRecord {
  /**
   * The position of the change in the store's history.
   */
  'position': (_sluice_catalog_v1_StorePosition | null);
  'atMs': (number);
  /**
   * The name of the admin token, or `account:` and the id of an account that made the change in the console.
   */
  'who': (string);
  /**
   * create | update | revoke | delete. foreign: another tool changed the store, and the other fields are unknown.
   */
  'action': (string);
  'kind': (string);
  'id': (string);
  /**
   * The resource as JSON before and after the change, without digests of secrets. Absent if it did not exist then.
   */
  'before'?: (string);
  'after'?: (string);
  '_before'?: "before";
  '_after'?: "after";
}
