import { status } from '@grpc/grpc-js';
import { type Logger, Deadline } from '@sluice/service';
import { AdmissionStream } from './admission-stream.ts';
import type { AdmitCall } from './quota-service.ts';
import { hashText } from './rendezvous.ts';
import type { NumberedDecision } from './wire/decision-messages.ts';

export type QuotaReplicaState = 'connecting' | 'up' | 'silent' | 'draining';

export interface QuotaReplicaOptions {
  readonly address: string;
  readonly openCall: () => AdmitCall;
  readonly clock: () => number;
  readonly onStateChange: () => void;
  readonly onDecision: (decision: NumberedDecision) => void;
  readonly onStreamClosed: (stream: AdmissionStream) => void;
  readonly logger: Logger;
}

/** If a replica accepts the connection but refuses the stream, the stream is opened again after this pause. */
const REOPEN_DELAY_MS = 100;
/**
 * After this many `unavailable` answers in a row, a replica is doubted. Its store does not answer it, but may answer
 * other replicas.
 */
const DOUBTED_AFTER = 5;
/** How long a doubted or slow replica is avoided if there are others. */
const DOUBTED_MS = 1_000;
/**
 * A healthy replica answers before the deadline of an admission, even if only with `unavailable`. If it has missed a
 * deadline, it may only be late, as on a busy machine. If it then sends nothing for this long, it counts as frozen or
 * disconnected, and its stream is cancelled.
 */
const SILENCE_LIMIT_MS = 500;

/** One quota replica. Keeps one stream of admissions open while the replica is connected. */
export class QuotaReplica {
  readonly address: string;
  /** Used for rendezvous hashing. */
  readonly hash: number;
  readonly #options: QuotaReplicaOptions;
  #connected = false;
  #closed = false;
  #current: AdmissionStream | undefined;
  #state: QuotaReplicaState = 'connecting';
  #reopening: NodeJS.Timeout | undefined;
  #troubleLogged = false;
  /** Number of `unavailable` answers in a row. */
  #undecided = 0;
  #doubtedUntil = 0;
  /** Set when an answer takes longer than usual; cleared by the next answer. */
  #slowUntil = 0;
  /** Runs from a missed deadline until the next answer. */
  #silence: Deadline | undefined;

  constructor(options: QuotaReplicaOptions) {
    this.#options = options;
    this.address = options.address;
    this.hash = hashText(options.address);
  }

  get state(): QuotaReplicaState {
    return this.#state === 'up' && this.#silence !== undefined ? 'silent' : this.#state;
  }

  /** The stream for new admissions; undefined while the replica accepts none. */
  get stream(): AdmissionStream | undefined {
    return this.#state === 'up' ? this.#current : undefined;
  }

  /** The replica takes longer than usual for no known reason. Other replicas are preferred. */
  isSlow(now: number): boolean {
    return now < this.#slowUntil;
  }

  /** When the last message arrived. */
  get lastMessageAt(): number {
    return this.#current?.lastMessageAt ?? 0;
  }

  /** The replica cannot decide, or has missed a deadline. Other replicas are preferred. */
  isDoubted(now: number): boolean {
    return this.#silence !== undefined || now < this.#doubtedUntil;
  }

  connectionChanged(connected: boolean): void {
    this.#connected = connected;
    if (connected) this.#open();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#reopening);
    this.#current?.cancel();
  }

  #open(): void {
    if (this.#closed || !this.#connected || this.#current !== undefined) return;
    const stream: AdmissionStream = new AdmissionStream(
      this.#options.openCall(),
      {
        onOpen: () => {
          if (this.#current === stream) this.#become('up');
        },
        onDecision: (decision) => {
          this.#troubleLogged = false;
          if (this.#current === stream) this.#endSilence();
          this.#judge(decision);
          this.#options.onDecision(decision);
        },
        onDraining: () => {
          stream.finish();
          if (this.#current === stream) this.#become('draining');
        },
        onSlow: () => {
          if (this.#current === stream) this.#slowUntil = this.#options.clock() + DOUBTED_MS;
        },
        onSilent: () => {
          if (this.#current === stream) this.#beginSilence(stream);
        },
        onClose: (error) => this.#streamClosed(stream, error),
      },
      this.#options.clock,
    );
    this.#current = stream;
  }

  #judge({ decision }: NumberedDecision): void {
    if (decision.outcome !== 'unavailable') {
      this.#undecided = 0;
      this.#doubtedUntil = 0;
      return;
    }
    this.#undecided += 1;
    if (this.#undecided >= DOUBTED_AFTER) this.#doubtedUntil = this.#options.clock() + DOUBTED_MS;
  }

  #beginSilence(stream: AdmissionStream): void {
    this.#silence ??= new Deadline(SILENCE_LIMIT_MS, () => stream.cancel());
  }

  /** Ends the silence, if there is one. Called for every answer. */
  #endSilence(): void {
    this.#slowUntil = 0;
    if (this.#silence === undefined) return;
    this.#silence.stop();
    this.#silence = undefined;
  }

  #streamClosed(stream: AdmissionStream, error: unknown): void {
    if (this.#current === stream) {
      if (this.#connected && !this.#closed) this.#logTrouble(error);
      this.#current = undefined;
      this.#endSilence();
      this.#become('connecting');
      clearTimeout(this.#reopening);
      this.#reopening = setTimeout(() => this.#open(), REOPEN_DELAY_MS);
    }
    this.#options.onStreamClosed(stream);
  }

  /**
   * Logs why the stream failed. Further failures are not logged until the replica answers again. Without this log, an
   * address of a server that is not a quota replica would look like a replica that never becomes ready.
   */
  #logTrouble(error: unknown): void {
    const refused = this.#state === 'connecting';
    // INTERNAL: one side cannot read the messages of the other. A lost connection has another code and is logged by
    // `logConnections`. https://github.com/grpc/grpc/blob/master/doc/statuscodes.md
    if (this.#troubleLogged || (!refused && codeOf(error) !== status.INTERNAL)) return;
    this.#troubleLogged = true;
    const message = refused ? 'quota refused the stream' : 'quota broke off the stream';
    this.#options.logger.warn({ address: this.address, err: error }, message);
  }

  #become(state: QuotaReplicaState): void {
    this.#state = state;
    this.#options.onStateChange();
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
