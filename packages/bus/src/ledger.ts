/** A writer of an append-only stream of records that must not be lost, and must not be in anybody's way. */
export interface LedgerOptions {
  /** By what its metrics are told from those of another ledger. */
  readonly kind: string;
  /** The stream that keeps its subjects, for the log. Another process makes it: see `LedgerStreamKeeper`. */
  readonly stream: string;
  /** Records that may wait in memory for the stream; 20 000 unless given. What comes beyond is lost. */
  readonly bufferLimit?: number;
}

/** The shape of a ledger's stream. */
export interface LedgerStreamOptions {
  /** The stream's name: letters, digits, `-`, `_` and `=`. */
  readonly stream: string;
  /** What it keeps: one pattern of subjects. */
  readonly subjects: string;
  /** How many servers of a cluster hold it. */
  readonly replicas: number;
  /** Older records are forgotten, and the oldest when there are too many bytes of them. */
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

/** What the keeper of a ledger's stream found when it last looked. */
export interface LedgerStreamState {
  /** Whether there is a stream. */
  readonly exists: boolean;
  /** Why there is none, or why its bounds are not those of the settings. Quotes no content. */
  readonly fault: string | undefined;
}

/** Makes the stream of a ledger, gives it its bounds, and makes it again when it was lost. */
export interface LedgerStreamKeeper extends Disposable {
  readonly state: LedgerStreamState;
}

export interface LedgerAppend {
  /** No other record has it. */
  readonly id: string;
  readonly subject: string;
  /** Kept as JSON. */
  readonly record: object;
}

export interface LedgerCounts {
  /** Not known to be stored yet. */
  readonly pending: number;
  readonly stored: number;
  /** No room, or no stream for too long. Each is logged. */
  readonly lost: number;
}

/** Writes without making anybody wait: no call throws, and none waits for the stream. */
export interface Ledger extends AsyncDisposable {
  readonly counts: LedgerCounts;
  /** Sent with others a moment later, and again until it is known to be stored. */
  append(record: LedgerAppend): void;
  /** Whether everything is stored, waiting for it at most that long. */
  settled(limitMs: number): Promise<boolean>;
}

export interface LedgerQuery {
  readonly stream: string;
  readonly subjects: string;
  /** Records stored from this time on. */
  readonly sinceMs: number;
}

/** How much of its past a ledger still holds. */
export interface LedgerExtent {
  /** Nobody has made its stream yet otherwise. */
  readonly exists: boolean;
  /** What was stored before is removed, at least in part; undefined while nothing is. */
  readonly beginsAtMs: number | undefined;
  /** When its stream was made: one that was lost is made anew, and knows nothing from before. */
  readonly madeAtMs: number | undefined;
}

export interface StoredRecord {
  /** JSON. */
  readonly text: string;
  readonly storedAtMs: number;
}
