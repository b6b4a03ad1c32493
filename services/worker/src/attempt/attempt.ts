import {
  attemptName,
  type AbandonReason,
  type FailureReason,
  type Frame,
  type JobHeader,
  type RefusalReason,
  type TokenUsage,
} from '@sluice/contracts';
import type { Context } from '@sluice/service';
import { AttemptFailure } from './attempt-failure.ts';

/** Sends the frames of one attempt to its gateway. */
export interface FrameChannel {
  readonly lastSentAt: number;
  send(...frames: readonly Frame[]): void;
  /**
   * Sends a frame together with the next frames, or alone some milliseconds later. `makeFrame` is called when it is
   * sent.
   */
  sendDeferred(makeFrame: () => Frame): void;
  close(): void;
  /**
   * Sends a frame whose number leaves a gap. A gateway that receives this frame fails the attempt. Call it after
   * `close`.
   */
  forceGap(): void;
}

export interface AttemptDetails {
  readonly header: JobHeader;
  readonly body: Uint8Array;
  readonly channel: FrameChannel;
  readonly arrivedAt: number;
  /** The trace that the gateway sent with the job. */
  readonly trace: Context | undefined;
}

/** Why an attempt is stopped: its result is no longer needed, or it failed, for example at its deadline. */
export type StopReason = AbandonReason | AttemptFailure;

/** How an accepted attempt ended. */
export type AttemptEnd =
  | { readonly kind: 'finished'; readonly usage: TokenUsage }
  | { readonly kind: 'failed'; readonly reason: FailureReason }
  | { readonly kind: 'abandoned'; readonly reason: AbandonReason }
  | { readonly kind: 'handed_back'; readonly reason: RefusalReason };

/** The state of an attempt that decides its stall timeout. */
export interface Progress {
  /** The request is being translated or its schemas are being prepared. Nothing was sent to the runtime yet. */
  preparing: boolean;
  /** The runtime has sent the first output. */
  hasOutput: boolean;
  /** The output may contain a tool call. Some runtimes hold a call back until it is complete. */
  mayContainToolCall: boolean;
  /** The output is complete; only the usage may be missing. */
  answered: boolean;
  lastActivityAt: number;
}

const NO_BODY = new Uint8Array(0);

/** One attempt of one request on this worker, from its acceptance to its end. */
export class Attempt {
  readonly name: string;
  readonly header: JobHeader;
  readonly bodyBytes: number;
  readonly channel: FrameChannel;
  readonly arrivedAt: number;
  readonly trace: Context | undefined;
  readonly progress: Progress;
  state: 'queued' | 'running' | 'ended' = 'queued';
  /** When the attempt got its slot. Undefined while it is queued. */
  startedAt: number | undefined;
  /** Estimated as one token for each chunk of the runtime. */
  generatedTokens = 0;
  /** Tokens that were generated before the gateway was last known to be alive. */
  deliveredTokens = 0;
  #body: Uint8Array;
  #stopReason: StopReason | undefined;
  #onStop: (() => void) | undefined;

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
      hasOutput: false,
      mayContainToolCall: false,
      answered: false,
      lastActivityAt: arrivedAt,
    };
  }

  /** Returns the body and releases it: requests may be large, and a generation may last long. */
  takeBody(): Uint8Array {
    const body = this.#body;
    this.#body = NO_BODY;
    return body;
  }

  /**
   * Sets the function that is called when the attempt is stopped. It replaces an earlier one. A measured alternative,
   * an AbortSignal with one listener, took half a kibibyte more for each open stream.
   */
  onStop(onStop: () => void): void {
    this.#onStop = onStop;
    if (this.stopped) onStop();
  }

  get stopReason(): StopReason | undefined {
    return this.#stopReason;
  }

  get stopped(): boolean {
    return this.#stopReason !== undefined;
  }

  throwIfStopped(): void {
    if (this.stopped) throw new Error('the attempt was stopped');
  }

  /** Only the first call has an effect. */
  stop(reason: StopReason): void {
    if (this.stopped || this.state === 'ended') return;
    this.#stopReason = reason;
    if (!(reason instanceof AttemptFailure)) this.channel.close();
    this.#onStop?.();
  }
}

const LARGE_BODY_BYTES = 32_768;

/** Large bodies are translated in a thread, because to read one may take more than ten milliseconds. */
export function isLargeBody(bytes: number): boolean {
  return bytes > LARGE_BODY_BYTES;
}
