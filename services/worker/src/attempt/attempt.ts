import {
  attemptName,
  type AbandonReason,
  type FailureReason,
  type Frame,
  type JobHeader,
  type RefusalReason,
  type TokenUsage,
} from '@sluice/contracts';
import type { Context } from '@sluice/telemetry';
import { AttemptFailure } from './attempt-failure.ts';

/** Where an attempt's frames go. */
export interface FrameChannel {
  readonly lastSentAt: number;
  send(...frames: readonly Frame[]): void;
  /** With the next frames, or by itself a moment later; made when it leaves. */
  sendSoon(makeFrame: () => Frame): void;
  close(): void;
  /** Once it is closed: tells whoever still listens that frames are missing, which fails the attempt there. */
  showGap(): void;
}

export interface AttemptDetails {
  readonly header: JobHeader;
  readonly body: Uint8Array;
  readonly channel: FrameChannel;
  readonly arrivedAt: number;
  /** The trace of whoever sent the job. */
  readonly trace: Context | undefined;
}

/** Why a running attempt is stopped: nobody waits for it any more, or it failed by our own clock. */
export type StopReason = AbandonReason | AttemptFailure;

/** How an accepted attempt ended. */
export type AttemptEnd =
  | { readonly kind: 'finished'; readonly usage: TokenUsage }
  | { readonly kind: 'failed'; readonly reason: FailureReason }
  | { readonly kind: 'abandoned'; readonly reason: AbandonReason }
  | { readonly kind: 'handed_back'; readonly reason: RefusalReason };

/** What is known of an attempt's silence, for whoever watches the clock. */
export interface Progress {
  /** Its request is read and its schemas are prepared, or wait for that: the runtime has not been asked. */
  preparing: boolean;
  /** The answer has begun: the prompt is read. */
  speaking: boolean;
  /** The answer may have a call in it, which some runtimes hold back until it is whole. */
  mayCall: boolean;
  /** The answer is complete but for its usage. */
  answered: boolean;
  lastSignAt: number;
}

const NO_BODY = new Uint8Array(0);

/** One try of one request on this worker, from its acceptance to its end. */
export class Attempt {
  readonly name: string;
  readonly header: JobHeader;
  readonly bodyBytes: number;
  readonly channel: FrameChannel;
  readonly arrivedAt: number;
  readonly trace: Context | undefined;
  readonly progress: Progress;
  state: 'queued' | 'running' | 'ended' = 'queued';
  /** When it got its slot, if it has. */
  startedAt: number | undefined;
  /** About a token for each piece that came from the runtime. */
  generatedTokens = 0;
  /** As many there were when its gateway was last known to live. */
  heardTokens = 0;
  #body: Uint8Array;
  readonly #stopping = new AbortController();
  #stopReason: StopReason | undefined;

  constructor({ header, body, channel, arrivedAt, trace }: AttemptDetails) {
    this.name = attemptName(header.request, header.attempt);
    this.header = header;
    this.#body = body;
    this.bodyBytes = body.byteLength;
    this.channel = channel;
    this.arrivedAt = arrivedAt;
    this.trace = trace;
    this.progress = {
      preparing: false,
      speaking: false,
      mayCall: false,
      answered: false,
      lastSignAt: arrivedAt,
    };
  }

  /** Once: a generation may last for long after its request was read, and requests may be large. */
  takeBody(): Uint8Array {
    const body = this.#body;
    this.#body = NO_BODY;
    return body;
  }

  /** Aborted when the attempt is stopped, with the reason. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  get stopReason(): StopReason | undefined {
    return this.#stopReason;
  }

  get stopped(): boolean {
    return this.#stopReason !== undefined;
  }

  /** The first reason counts. */
  stop(reason: StopReason): void {
    if (this.stopped || this.state === 'ended') return;
    this.#stopReason = reason;
    if (!(reason instanceof AttemptFailure)) this.channel.close();
    this.#stopping.abort(reason);
  }
}
