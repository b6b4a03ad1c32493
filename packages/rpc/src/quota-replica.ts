import { status } from '@grpc/grpc-js';
import type { Logger } from '@sluice/telemetry';
import { Deadline } from '@sluice/timing';
import { AdmissionStream } from './admission-stream.ts';
import type { AdmitCall } from './quota-service.ts';
import { hashText } from './rendezvous.ts';
import type { NumberedDecision } from './wire/decision-messages.ts';

export type QuotaReplicaState = 'connecting' | 'up' | 'silent' | 'draining';

export interface QuotaReplicaOptions {
  readonly address: string;
  readonly openCall: () => AdmitCall;
  readonly now: () => number;
  readonly onStateChange: () => void;
  readonly onDecision: (decision: NumberedDecision) => void;
  readonly onStreamClosed: (stream: AdmissionStream) => void;
  readonly logger: Logger;
}

/** A replica that takes the connection and refuses the stream is asked again after this. */
const REOPEN_DELAY_MS = 100;
/** So many admissions in a row that it could not decide: the store does not answer it, and may answer others. */
const DOUBTED_AFTER = 5;
/** For so long others are asked. */
const DOUBTED_MS = 1_000;
/**
 * A replica answers in time, even if only `unavailable`. One that says nothing is late, as on a busy machine, and
 * what it owes may still come; after so long it is frozen or cut off, and what it has not read is taken back.
 */
const SILENCE_LIMIT_MS = 500;

/** One quota replica: keeps one stream of admissions open to it for as long as it is connected. */
export class QuotaReplica {
  readonly address: string;
  /** For rendezvous hashing. */
  readonly hash: number;
  readonly #options: QuotaReplicaOptions;
  #connected = false;
  #closed = false;
  #current: AdmissionStream | undefined;
  #state: QuotaReplicaState = 'connecting';
  #reopening: NodeJS.Timeout | undefined;
  #troubleLogged = false;
  /** In a row, and without a decision. */
  #undecided = 0;
  #doubtedUntil = 0;
  /** It owed an answer for longer than answers take, and has not said a word since. */
  #slowUntil = 0;
  /** Runs from a deadline that it missed to its next word. */
  #silence: Deadline | undefined;

  constructor(options: QuotaReplicaOptions) {
    this.#options = options;
    this.address = options.address;
    this.hash = hashText(options.address);
  }

  get state(): QuotaReplicaState {
    return this.#state === 'up' && this.#silence !== undefined ? 'silent' : this.#state;
  }

  /** The stream that takes admissions, while there is one. */
  get stream(): AdmissionStream | undefined {
    return this.#state === 'up' ? this.#current : undefined;
  }

  /** It takes longer than usual, for no known reason: others should be asked, if there are any. */
  isSlow(now: number): boolean {
    return now < this.#slowUntil;
  }

  /** When it last said anything. */
  get heardAt(): number {
    return this.#current?.heardAt ?? 0;
  }

  /** Whether it cannot decide, or has let a deadline pass: others should be asked, if there are any. */
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
          if (this.#current === stream) this.#slowUntil = this.#options.now() + DOUBTED_MS;
        },
        onSilent: () => {
          if (this.#current === stream) this.#beginSilence(stream);
        },
        onClose: (error) => this.#streamClosed(stream, error),
      },
      this.#options.now,
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
    if (this.#undecided >= DOUBTED_AFTER) this.#doubtedUntil = this.#options.now() + DOUBTED_MS;
  }

  #beginSilence(stream: AdmissionStream): void {
    this.#silence ??= new Deadline(SILENCE_LIMIT_MS, () => stream.cancel());
  }

  /** For every decision: mostly there is none. */
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

  /** Once until a decision comes: whoever takes connections and does not decide is not a quota replica. */
  #logTrouble(error: unknown): void {
    const refused = this.#state === 'connecting';
    // What a lost connection ends is told as the loss of a connection.
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
