// Original file: proto/catalog/v1/catalog.proto

import type { Long } from '@grpc/proto-loader';

/**
 * A place in the store's history. A reader that was told of a change asks for
 * at least that place, so that no lagging replica gives the old answer back.
 */
export interface StorePositionInput {
  'epoch'?: (number | string | Long);
  'sequence'?: (number | string | Long);
}

/**
 * A place in the store's history. A reader that was told of a change asks for
 * at least that place, so that no lagging replica gives the old answer back.
 */
export interface StorePosition {
  'epoch': (number);
  'sequence': (number);
}
