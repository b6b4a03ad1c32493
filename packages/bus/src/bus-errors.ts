/**
 * The bus is not connected. A publish that fails with this error sent nothing. For a request or a flush, the outcome is
 * unknown: the connection may have been lost after it was sent, or the server did not permit it.
 */
export class BusDisconnectedError extends Error {
  override readonly name = 'BusDisconnectedError';
  constructor(options?: ErrorOptions) {
    super('not connected to the bus', options);
  }
}

/** Nothing was sent: the server closes a connection that sends a message above its limit. */
export class BusPayloadTooLargeError extends Error {
  override readonly name = 'BusPayloadTooLargeError';
  constructor(size: number, limit: number) {
    super(`a message of ${size} bytes exceeds the bus's limit of ${limit}`);
  }
}

/** A request was sent to a subject without a subscriber. */
export class BusNoRespondersError extends Error {
  override readonly name = 'BusNoRespondersError';
  constructor(subject: string, options?: ErrorOptions) {
    super(`no subscriber on ${subject}`, options);
  }
}

/** No answer arrived in time. Whether the request was acted on is unknown. */
export class BusTimeoutError extends Error {
  override readonly name = 'BusTimeoutError';
  constructor(subject: string, options?: ErrorOptions) {
    super(`no answer on ${subject} in time`, options);
  }
}

/** Nothing was written, because the store was changed after the sequence that the writer had read. */
export class KeyValueConflictError extends Error {
  override readonly name = 'KeyValueConflictError';
  constructor(expected: number, options?: ErrorOptions) {
    super(`the store's last sequence is no longer ${expected}`, options);
  }
}

/** The store refused the write, for example because its disk is full. Nothing was written. */
export class KeyValueRefusedError extends Error {
  override readonly name = 'KeyValueRefusedError';
}

/** A server was reached, but it refuses this client or cannot be trusted. */
export class BusRefusedError extends Error {
  override readonly name = 'BusRefusedError';
  /** The reason, phrased to follow "the bus …". */
  readonly refusal: string;
  constructor(refusal: string, options?: ErrorOptions) {
    super(`the bus ${refusal}`, options);
    this.refusal = refusal;
  }
}

/** Reading of a ledger's stream broke off. It can begin again after the last message that was received. */
export class LedgerInterruptedError extends Error {
  override readonly name = 'LedgerInterruptedError';
}
