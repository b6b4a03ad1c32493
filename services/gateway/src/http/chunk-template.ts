import type { FinishReason } from '@sluice/contracts';
import type { PaddingPool } from './padding.ts';

/** Events are padded to multiples of this, so that their lengths say little of what they carry. */
export const PADDING_BLOCK = 64;

const EVENT_END = Buffer.from('}\n\n');
const PADDING_START = Buffer.from(',"obfuscation":"');
const PADDING_END = Buffer.from('"}\n\n');
const DELTA_END = Buffer.from(',"finish_reason":null}],"usage":null');
const ROLE_DELTA = Buffer.from('{"role":"assistant"}');
export const DONE_EVENT = Buffer.from('data: [DONE]\n\n');
export const KEEPALIVE = Buffer.from(': keepalive\n\n');

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

  role(): Buffer {
    return this.delta(ROLE_DELTA);
  }

  delta(body: Uint8Array): Buffer {
    return this.#event(this.#deltaStart, body, DELTA_END);
  }

  finish(reason: FinishReason): Buffer {
    return this.#event(
      this.#deltaStart,
      Buffer.from(`{},"finish_reason":"${reason}"}],"usage":null`),
    );
  }

  usage(body: Uint8Array): Buffer {
    return this.#event(this.#head, Buffer.from('],"usage":'), body);
  }

  #event(start: Uint8Array, middle: Uint8Array, end?: Uint8Array): Buffer {
    const bare = start.length + middle.length + (end?.length ?? 0);
    const padding = this.#padding;
    if (padding === undefined) {
      const event = Buffer.allocUnsafe(bare + EVENT_END.length);
      EVENT_END.copy(event, write(event, start, middle, end));
      return event;
    }
    const unpadded = bare + PADDING_START.length + PADDING_END.length;
    // At least one character, so that the field always holds padding.
    const length = PADDING_BLOCK - (unpadded % PADDING_BLOCK);
    const event = Buffer.allocUnsafe(unpadded + length);
    let offset = write(event, start, middle, end);
    offset += PADDING_START.copy(event, offset);
    offset = padding.write(event, offset, length);
    PADDING_END.copy(event, offset);
    return event;
  }
}

function write(target: Buffer, start: Uint8Array, middle: Uint8Array, end?: Uint8Array): number {
  target.set(start, 0);
  target.set(middle, start.length);
  if (end !== undefined) target.set(end, start.length + middle.length);
  return start.length + middle.length + (end?.length ?? 0);
}
