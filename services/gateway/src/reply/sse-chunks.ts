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

interface ChunkParts {
  readonly start: Uint8Array;
  readonly middle: Uint8Array;
  readonly end: Uint8Array;
}

/** An event whose JSON object is made of three parts, the padding and a closing brace, in this order. */
class JsonChunk implements SseChunk {
  readonly size: number;
  readonly #parts: ChunkParts;
  readonly #padding: PaddingPool | undefined;
  readonly #paddingLength: number;

  constructor(parts: ChunkParts, padding: PaddingPool | undefined) {
    this.#parts = parts;
    this.#padding = padding;
    const bare = parts.start.length + parts.middle.length + parts.end.length;
    const unpadded = bare + PADDING_START.length + PADDING_END.length;
    // The padding has at least one character, so that its field is never empty.
    this.#paddingLength = PADDING_BLOCK - (unpadded % PADDING_BLOCK);
    this.size = padding === undefined ? bare + EVENT_END.length : unpadded + this.#paddingLength;
  }

  write(target: Buffer, offset: number): number {
    const { start, middle, end } = this.#parts;
    let at = offset;
    target.set(start, at);
    at += start.length;
    target.set(middle, at);
    at += middle.length;
    target.set(end, at);
    at += end.length;
    if (this.#padding === undefined) return at + EVENT_END.copy(target, at);
    at += PADDING_START.copy(target, at);
    at = this.#padding.write(target, at, this.#paddingLength);
    return at + PADDING_END.copy(target, at);
  }
}

const DELTA_END = Buffer.from(',"finish_reason":null}],"usage":null');
const ROLE_DELTA = Buffer.from('{"role":"assistant"}');
const USAGE_START = Buffer.from('],"usage":');
const NOTHING = new Uint8Array(0);
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
  readonly #padding: PaddingPool | undefined;

  constructor({ id, created, model, padding }: ChunkTemplateOptions) {
    const head =
      `data: {"id":${JSON.stringify(id)},"object":"chat.completion.chunk",` +
      `"created":${created},"model":${JSON.stringify(model)},"choices":[`;
    this.#head = Buffer.from(head);
    this.#deltaStart = Buffer.from(`${head}{"index":0,"delta":`);
    this.#padding = padding;
  }

  role(): SseChunk {
    return this.delta(ROLE_DELTA);
  }

  delta(body: Uint8Array): SseChunk {
    return this.#event(this.#deltaStart, body, DELTA_END);
  }

  finish(reason: FinishReason): SseChunk {
    const end = Buffer.from(`{},"finish_reason":"${reason}"}],"usage":null`);
    return this.#event(this.#deltaStart, end, NOTHING);
  }

  usage(body: Uint8Array): SseChunk {
    return this.#event(this.#head, USAGE_START, body);
  }

  #event(start: Uint8Array, middle: Uint8Array, end: Uint8Array): SseChunk {
    return new JsonChunk({ start, middle, end }, this.#padding);
  }
}
