// Original file: proto/catalog/v1/catalog.proto

import type { Long } from '@grpc/proto-loader';

/**
 * A position in the store's history. A reader that was notified of a change asks
 * for at least its position, so that no lagging replica returns the old answer.
 */
export interface StorePositionInput {
  'epoch'?: (number | string | Long);
  'sequence'?: (number | string | Long);
}

/**
 * A position in the store's history. A reader that was notified of a change asks
 * for at least its position, so that no lagging replica returns the old answer.
 */
export interface StorePosition {
  'epoch': (number);
  'sequence': (number);
}
