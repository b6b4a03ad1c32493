import type { FinishReason } from '@sluice/contracts';

/** Takes what a job brings forth. */
export interface CompletionSink {
  /** Something has reached the client, so that another worker cannot begin anew. */
  readonly delivered: boolean;
  started(): void;
  delta(body: Uint8Array): void;
  usage(body: Uint8Array): void;
  /** Forget what came: another worker begins anew. */
  restart(): void;
  finish(reason: FinishReason): void;
}
