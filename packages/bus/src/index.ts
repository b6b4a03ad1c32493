export type { Bus, BusSubscription } from './bus.ts';
export {
  BusDisconnectedError,
  BusNoRespondersError,
  BusPayloadTooLargeError,
  BusRefusedError,
  BusTimeoutError,
  KeyValueConflictError,
  KeyValueRefusedError,
} from './bus-errors.ts';
export type { BusMessage } from './bus-message.ts';
export { busAccess, busSettings, checkBusSettings, readBusAccess } from './bus-settings.ts';
export { connectBus } from './connect-bus.ts';
export { hasSubscriber } from './has-subscriber.ts';
export {
  KeyValueDamagedError,
  type KeyValueEntry,
  type KeyValueStore,
  type KeyValueWatch,
  type KeyValueWatcher,
} from './key-value.ts';
export { ledgerBounds, ledgerSettings, type LedgerSettings } from './ledger-settings.ts';
export { readOutcomes, openOutcomeLedger, type OutcomeLedger } from './outcome-ledger.ts';
export type {
  LedgerCounts,
  LedgerMessage,
  LedgerOptions,
  LedgerPosition,
  LedgerStreamOptions,
  LedgerStreamState,
  LedgerUnread,
} from './ledger.ts';
