import type { PaddingPool } from './padding.ts';

/** Events are padded to multiples of this, so that their lengths say little of what they carry. */
export const PADDING_BLOCK = 64;

const EVENT_END = Buffer.from('}\n\n');
const PADDING_START = Buffer.from(',"obfuscation":"');
const PADDING_END = Buffer.from('"}\n\n');

/** A server-sent event that is not rendered yet, so that it can be rendered straight into what is sent. */
export interface StreamEvent {
  readonly size: number;
  /** Renders it and says where it ends. Only once: padding is never repeated. */
  write(target: Buffer, offset: number): number;
}

export class PlainEvent implements StreamEvent {
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

export interface SplicedParts {
  readonly start: Uint8Array;
  readonly middle: Uint8Array;
  readonly end: Uint8Array;
}

/** The members of a JSON object, up to its closing brace, which follows with the padding before it. */
export class SplicedEvent implements StreamEvent {
  readonly size: number;
  readonly #parts: SplicedParts;
  readonly #padding: PaddingPool | undefined;
  readonly #paddingLength: number;

  constructor(parts: SplicedParts, padding: PaddingPool | undefined) {
    this.#parts = parts;
    this.#padding = padding;
    const bare = parts.start.length + parts.middle.length + parts.end.length;
    const unpadded = bare + PADDING_START.length + PADDING_END.length;
    // At least one character, so that the field always holds padding.
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
