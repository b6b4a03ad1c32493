/** Options for a writer of an append-only stream of records. */
export interface LedgerOptions {
  /** A label that separates the metrics of this ledger from those of other ledgers. */
  readonly kind: string;
  /** The stream that stores the subjects, for the log. Another process creates it: see `LedgerStreamKeeper`. */
  readonly stream: string;
  /** How many records may wait in memory for the stream. Further records are lost. Default: 20,000. */
  readonly bufferLimit?: number;
}

/** The configuration of a ledger's stream. */
export interface LedgerStreamOptions {
  /** The stream's name: letters, digits, `-`, `_` and `=`. */
  readonly stream: string;
  /** The pattern of the subjects that the stream stores. */
  readonly subjects: string;
  /** How many servers of a cluster hold a copy. */
  readonly replicas: number;
  /** Records older than this are removed. Above `maxBytes`, the oldest records are removed. */
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

/** The result of the keeper's last check of the stream. */
export interface LedgerStreamState {
  /** Whether the stream exists. */
  readonly exists: boolean;
  /** Why the stream is missing, or why its limits differ from the settings. Contains no record content. */
  readonly fault: string | undefined;
}

/** Creates the stream of a ledger, sets its limits, and creates it again if it is deleted. */
export interface LedgerStreamKeeper extends Disposable {
  readonly state: LedgerStreamState;
}

export interface LedgerAppend {
  /** Unique to this record. */
  readonly id: string;
  readonly subject: string;
  /** Stored as JSON. */
  readonly record: object;
}

export interface LedgerCounts {
  /** Number of records that are not yet acknowledged as stored. */
  readonly pending: number;
  readonly stored: number;
  /**
   * Number of records that were dropped because the buffer was full or the stream was missing for too long. Each loss
   * is logged.
   */
  readonly lost: number;
}

/** Writes without blocking the caller: `append` neither throws nor waits for the stream. */
export interface Ledger extends AsyncDisposable {
  readonly counts: LedgerCounts;
  /** Sends the record in a batch a moment later, and repeats it until it is acknowledged as stored. */
  append(record: LedgerAppend): void;
  /** Waits until everything is stored, for at most this long. Returns whether it is. */
  settled(limitMs: number): Promise<boolean>;
}

export interface LedgerQuery {
  readonly stream: string;
  readonly subjects: string;
  /** Selects the records that were stored at or after this time. */
  readonly sinceMs: number;
}

/** How far back the records of a ledger reach. */
export interface LedgerExtent {
  /** False until the stream has been created. */
  readonly exists: boolean;
  /** Records stored before this time were removed, at least in part. Undefined if nothing was removed yet. */
  readonly beginsAtMs: number | undefined;
  /** When the stream was created. A stream created again after a loss has no records from before. */
  readonly madeAtMs: number | undefined;
}

export interface StoredRecord {
  /** The record as JSON. */
  readonly text: string;
  readonly storedAtMs: number;
}

/** How far a ledger's stream was read. */
export interface LedgerPosition {
  /** When the stream was created. If it is deleted and created again, this time changes and its sequences restart at 1. */
  readonly streamCreated: string;
  /** The sequence of the last message that was read. */
  readonly sequence: number;
  /** When this message was stored. */
  readonly storedAtMs: number;
}

export interface LedgerFollowing {
  readonly stream: string;
  /**
   * Where earlier readers stopped, in this stream and in streams of the same name that were deleted. Without a position
   * in this stream, reading begins with the oldest message.
   */
  readonly after: readonly LedgerPosition[];
  /** Ends the reading. */
  readonly signal: AbortSignal;
}

/** A message of a ledger. It holds some records of one organization. */
export interface LedgerMessage {
  readonly position: LedgerPosition;
  /** The records as JSON. */
  readonly records: readonly string[];
  /** Messages that were removed from the stream between the previous position and this message. */
  readonly missed: number;
}

/** How much of a ledger's stream is not read yet. */
export interface LedgerUnread {
  readonly messages: number;
  /** When the oldest unread message was stored. Undefined if there is none. */
  readonly oldestAtMs: number | undefined;
  /**
   * The unread part of what the stream may hold, in bytes or in age, whichever is larger. At 1, the stream removes
   * messages that were never read.
   */
  readonly share: number;
}
