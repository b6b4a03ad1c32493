import type { FinishReason } from '@sluice/contracts';
import type { PaddingPool } from './padding.ts';

/** Events are padded to multiples of this size, so that their length reveals little about their content. */
export const PADDING_BLOCK = 64;

const EVENT_END = Buffer.from('}\n\n');
const PADDING_START = Buffer.from(',"obfuscation":"');
const PADDING_END = Buffer.from('"}\n\n');

/** A server-sent event, rendered only when it is copied into the buffer that is sent. */
export interface SseChunk {
  readonly size: number;
  /** Renders the event and returns the offset after it. Call it only once, because each call uses new padding. */
  write(target: Buffer, offset: number): number;
}

export class StaticChunk implements SseChunk {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get size(): number {
    return this.#bytes.length;
  }

  write(target: Buffer, offset: number): number {
    return offset + this.#bytes.copy(target, offset);
  }
}

/** An event of three parts. In a padded stream, padding and `PADDING_END` follow them. */
class JsonChunk implements SseChunk {
  readonly size: number;
  readonly #start: Uint8Array;
  readonly #middle: Uint8Array;
  readonly #tail: Uint8Array;
  readonly #padding: PaddingPool | undefined;
  readonly #paddingLength: number;

  constructor(
    start: Uint8Array,
    middle: Uint8Array,
    tail: Uint8Array,
    padding: PaddingPool | undefined,
  ) {
    this.#start = start;
    this.#middle = middle;
    this.#tail = tail;
    this.#padding = padding;
    const bare = start.length + middle.length + tail.length;
    const unpadded = bare + PADDING_END.length;
    // The padding has at least one character, so that its field is never empty.
    this.#paddingLength = PADDING_BLOCK - (unpadded % PADDING_BLOCK);
    this.size = padding === undefined ? bare : unpadded + this.#paddingLength;
  }

  write(target: Buffer, offset: number): number {
    let at = offset;
    target.set(this.#start, at);
    at += this.#start.length;
    target.set(this.#middle, at);
    at += this.#middle.length;
    target.set(this.#tail, at);
    at += this.#tail.length;
    if (this.#padding === undefined) return at;
    at = this.#padding.write(target, at, this.#paddingLength);
    target.set(PADDING_END, at);
    return at + PADDING_END.length;
  }
}

const DELTA_END = Buffer.from(',"finish_reason":null}],"usage":null');
const ROLE_DELTA = Buffer.from('{"role":"assistant"}');
const USAGE_START = Buffer.from('],"usage":');
const DELTA_TAIL = Buffer.concat([DELTA_END, EVENT_END]);
const PADDED_DELTA_TAIL = Buffer.concat([DELTA_END, PADDING_START]);
export const DONE_EVENT: SseChunk = new StaticChunk(Buffer.from('data: [DONE]\n\n'));
export const KEEPALIVE: SseChunk = new StaticChunk(Buffer.from(': keepalive\n\n'));

export interface ChunkTemplateOptions {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  /** Undefined if the client switched padding off. */
  readonly padding: PaddingPool | undefined;
}

/** Builds the chunks of one stream as bytes around the JSON from the worker, without parsing it. */
export class ChunkTemplate {
  readonly #head: Buffer;
  readonly #deltaStart: Buffer;
  readonly #deltaTail: Buffer;
  readonly #tail: Buffer;
  readonly #padding: PaddingPool | undefined;

  constructor({ id, created, model, padding }: ChunkTemplateOptions) {
    const head =
      `data: {"id":${JSON.stringify(id)},"object":"chat.completion.chunk",` +
      `"created":${created},"model":${JSON.stringify(model)},"choices":[`;
    this.#head = Buffer.from(head);
    this.#deltaStart = Buffer.from(`${head}{"index":0,"delta":`);
    this.#deltaTail = padding === undefined ? DELTA_TAIL : PADDED_DELTA_TAIL;
    this.#tail = padding === undefined ? EVENT_END : PADDING_START;
    this.#padding = padding;
  }

  role(): SseChunk {
    return this.delta(ROLE_DELTA);
  }

  delta(body: Uint8Array): SseChunk {
    return new JsonChunk(this.#deltaStart, body, this.#deltaTail, this.#padding);
  }

  finish(reason: FinishReason): SseChunk {
    const end = Buffer.from(`{},"finish_reason":"${reason}"}],"usage":null`);
    return new JsonChunk(this.#deltaStart, end, this.#tail, this.#padding);
  }

  usage(body: Uint8Array): SseChunk {
    return new JsonChunk(this.#head, Buffer.concat([USAGE_START, body]), this.#tail, this.#padding);
  }
}
