export type { Bus, BusHeaders, BusSubscription, PublishOptions, RequestOptions } from './bus.ts';
export {
  BusDisconnectedError,
  BusNoRespondersError,
  BusPayloadTooLargeError,
  BusRefusedError,
  BusTimeoutError,
  KeyValueConflictError,
} from './bus-errors.ts';
export type { BusMessage } from './bus-message.ts';
export {
  busAccess,
  busSettings,
  checkBusSettings,
  readBusAccess,
  type BusSettings,
} from './bus-settings.ts';
export { connectBus, type BusAccess, type BusOptions } from './connect-bus.ts';
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
