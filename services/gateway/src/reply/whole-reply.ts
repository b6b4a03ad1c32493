import type { FinishReason } from '@sluice/contracts';
import type { CompletionSink } from '../domain/completion-sink.ts';

export interface WholeReplyOptions {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

const NO_USAGE = Buffer.from('null');

/** A completion as one JSON object, spliced as bytes around what the worker sent. Sent only once it is complete. */
export class WholeReply implements CompletionSink {
  readonly delivered = false;
  readonly #options: WholeReplyOptions;
  #message: Uint8Array | undefined;
  #usage: Uint8Array = NO_USAGE;
  #body: Buffer | undefined;

  constructor(options: WholeReplyOptions) {
    this.#options = options;
  }

  /** Undefined until the end. */
  get body(): Buffer | undefined {
    return this.#body;
  }

  started(): void {
    // Nothing is sent before the end.
  }

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
