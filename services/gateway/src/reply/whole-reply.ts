import type { FinishReason } from '@sluice/contracts';
import type { CompletionSink } from '../dispatch/job.ts';

export interface WholeReplyOptions {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

const NO_USAGE = Buffer.from('null');

/** A completion as one JSON object, built as bytes around the JSON from the worker. Sent only when it is complete. */
export class WholeReply implements CompletionSink {
  readonly delivered = false;
  readonly #options: WholeReplyOptions;
  #message: Uint8Array | undefined;
  #usage: Uint8Array = NO_USAGE;
  #body: Buffer | undefined;

  constructor(options: WholeReplyOptions) {
    this.#options = options;
  }

  /** Undefined until `finish`. */
  get body(): Buffer | undefined {
    return this.#body;
  }

  started(): void {
    // A reply that is not streamed is sent only at its end.
  }

  /** The worker sends the whole message of a reply that is not streamed as one delta. */
  delta(body: Uint8Array): void {
    this.#message = body;
  }

  usage(body: Uint8Array): void {
    this.#usage = body;
  }

  restart(): void {
    this.#message = undefined;
    this.#usage = NO_USAGE;
  }

  finish(reason: FinishReason): void {
    if (this.#message === undefined) return;
    const { id, created, model } = this.#options;
    this.#body = Buffer.concat([
      Buffer.from(
        `{"id":${JSON.stringify(id)},"object":"chat.completion","created":${created},` +
          `"model":${JSON.stringify(model)},"choices":[{"index":0,"message":`,
      ),
      this.#message,
      Buffer.from(`,"logprobs":null,"finish_reason":"${reason}"}],"usage":`),
      this.#usage,
      Buffer.from('}'),
    ]);
  }
}
