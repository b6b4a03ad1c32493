/**
 * There is no connection at this moment. What was published was not sent; the client's own behaviour would be to drop
 * it in silence. A request or a flush may have been under way when its connection was lost, or the server did not
 * permit it: then it is unknown how far it came.
 */
export class BusDisconnectedError extends Error {
  override readonly name = 'BusDisconnectedError';
  constructor(options?: ErrorOptions) {
    super('not connected to the bus', options);
  }
}

/** Nothing was sent: the server would drop the connection of whoever sends this much. */
export class BusPayloadTooLargeError extends Error {
  override readonly name = 'BusPayloadTooLargeError';
  constructor(size: number, limit: number) {
    super(`a message of ${size} bytes exceeds the bus's limit of ${limit}`);
  }
}

/** Nobody subscribes to the subject of a request. */
export class BusNoRespondersError extends Error {
  override readonly name = 'BusNoRespondersError';
  constructor(subject: string, options?: ErrorOptions) {
    super(`nobody listens on ${subject}`, options);
  }
}

/** No answer in time. Whether the request was acted on is unknown. */
export class BusTimeoutError extends Error {
  override readonly name = 'BusTimeoutError';
  constructor(subject: string, options?: ErrorOptions) {
    super(`no answer on ${subject} in time`, options);
  }
}

/** The store has moved on since the sequence that the writer had read. Nothing was written. */
export class KeyValueConflictError extends Error {
  override readonly name = 'KeyValueConflictError';
  constructor(expected: number, options?: ErrorOptions) {
    super(`the store's last sequence is no longer ${expected}`, options);
  }
}

/** The store takes no write, as where its disk is full. Nothing was written. */
export class KeyValueRefusedError extends Error {
  override readonly name = 'KeyValueRefusedError';
}

/** There is a server, and it does not let us in, or is not to be trusted. */
export class BusRefusedError extends Error {
  override readonly name = 'BusRefusedError';
  /** What the server does, for a sentence that names it. */
  readonly refusal: string;
  constructor(refusal: string, options?: ErrorOptions) {
    super(`the bus ${refusal}`, options);
    this.refusal = refusal;
  }
}
