import type { FinishReason } from '@sluice/contracts';
import type { PaddingPool } from './padding.ts';
import { PlainEvent, SplicedEvent, type StreamEvent } from './stream-event.ts';

const DELTA_END = Buffer.from(',"finish_reason":null}],"usage":null');
const ROLE_DELTA = Buffer.from('{"role":"assistant"}');
const USAGE_START = Buffer.from('],"usage":');
const NOTHING = new Uint8Array(0);
export const DONE_EVENT: StreamEvent = new PlainEvent(Buffer.from('data: [DONE]\n\n'));
export const KEEPALIVE: StreamEvent = new PlainEvent(Buffer.from(': keepalive\n\n'));

export interface ChunkTemplateOptions {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  /** Absent when the client switched padding off. */
  readonly padding: PaddingPool | undefined;
}

/** The chunks of one stream, spliced as bytes around what the worker sent: nothing is parsed or rendered anew. */
export class ChunkTemplate {
  readonly #head: Buffer;
  readonly #deltaStart: Buffer;
  readonly #padding: PaddingPool | undefined;

  constructor({ id, created, model, padding }: ChunkTemplateOptions) {
    const head =
      `data: {"id":${JSON.stringify(id)},"object":"chat.completion.chunk",` +
      `"created":${created},"model":${JSON.stringify(model)},"choices":[`;
    this.#head = Buffer.from(head);
    this.#deltaStart = Buffer.from(`${head}{"index":0,"delta":`);
    this.#padding = padding;
  }

  role(): StreamEvent {
    return this.delta(ROLE_DELTA);
  }

  delta(body: Uint8Array): StreamEvent {
    return this.#event(this.#deltaStart, body, DELTA_END);
  }

  finish(reason: FinishReason): StreamEvent {
    const end = Buffer.from(`{},"finish_reason":"${reason}"}],"usage":null`);
    return this.#event(this.#deltaStart, end, NOTHING);
  }

  usage(body: Uint8Array): StreamEvent {
    return this.#event(this.#head, USAGE_START, body);
  }

  #event(start: Uint8Array, middle: Uint8Array, end: Uint8Array): StreamEvent {
    return new SplicedEvent({ start, middle, end }, this.#padding);
  }
}
