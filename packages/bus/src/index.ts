export type { Bus, BusHeaders, BusSubscription, PublishOptions, RequestOptions } from './bus.ts';
export {
  BusDisconnectedError,
  BusNoRespondersError,
  BusPayloadTooLargeError,
  BusTimeoutError,
  KeyValueConflictError,
} from './bus-errors.ts';
export type { BusMessage } from './bus-message.ts';
export { connectBus, type BusOptions } from './connect-bus.ts';
export type {
  ChangeRange,
  KeyValueEntry,
  KeyValueOptions,
  KeyValueStore,
  KeyValueWatch,
  KeyValueWatcher,
  StoreEnd,
  WriteOptions,
} from './key-value.ts';
export type {
  Ledger,
  LedgerAppend,
  LedgerCounts,
  LedgerOptions,
  LedgerQuery,
  StoredRecord,
} from './ledger.ts';
