/**
 * Frames carry one attempt's progress from worker to gateway. A bus message holds one
 * frame or several: whatever a turn of the worker's event loop produced for the attempt.
 *
 * Layout of a frame: kind (1 byte), number (4, big-endian), length (4, big-endian), body.
 * Bodies are JSON. Those of `delta` and `usage` are spliced as bytes into the client's
 * reply without being parsed; in a stream they are one line by the rules of Unicode too.
 */
export const FrameKind = {
  /** The worker took the job: `{load}`. */
  accepted: 1,
  /**
   * The worker gives the job back, unserved: `{reason, load, retry_after_ms}`. First of all frames, or after
   * `accepted` while the job waits for a slot: another organization's job took its place, the worker drains, or its
   * runtime is down or has the model no longer.
   */
  refused: 2,
  /** The runtime itself took the request. Empty; of streams alone, whose clients may be told a status then. */
  started: 3,
  /** A `delta` object; of a job that does not stream, the whole `message` object. */
  delta: 4,
  /** The `usage` object of the reply. */
  usage: 5,
  /** The explicit end: `{finish_reason, load}`. */
  finished: 6,
  /** The attempt failed: `{reason, retryable, retry_after_ms, param}`. After deltas too: what came is then no answer. */
  failed: 7,
  /** Nothing to say, still at work. Empty. */
  tick: 8,
} as const;

export type FrameKind = (typeof FrameKind)[keyof typeof FrameKind];

/** Of each frame, before its body. */
export const FRAME_HEADER_BYTES = 9;
const EMPTY = Buffer.alloc(0);

/** A worker with nothing to send for this long sends a tick. */
export const TICK_INTERVAL_MS = 2_000;
/** An attempt without a frame for this long has failed. */
export const SILENCE_LIMIT_MS = 6_000;

export interface Frame {
  readonly kind: number;
  readonly body: Uint8Array;
}

export function frame(kind: FrameKind, body: Uint8Array = EMPTY): Frame {
  return { kind, body };
}

export function jsonFrame(kind: FrameKind, body: object): Frame {
  return { kind, body: Buffer.from(JSON.stringify(body)) };
}

/** One message of consecutive frames, the first of which has the given number. */
export function encodeFrames(firstNumber: number, frames: readonly Frame[]): Uint8Array {
  let size = 0;
  for (const { body } of frames) size += FRAME_HEADER_BYTES + body.length;
  const message = Buffer.allocUnsafe(size);
  let offset = 0;
  let number = firstNumber;
  for (const { kind, body } of frames) {
    message[offset] = kind;
    message.writeUInt32BE(number, offset + 1);
    message.writeUInt32BE(body.length, offset + 5);
    message.set(body, offset + FRAME_HEADER_BYTES);
    offset += FRAME_HEADER_BYTES + body.length;
    number += 1;
  }
  return message;
}

export class MalformedFrameError extends Error {
  override readonly name = 'MalformedFrameError';
}

/**
 * Calls `visit` for each frame of a message, in order, with the body as a view on the
 * message. A visitor rather than a list: this runs for every token.
 */
export function readFrames(
  message: Uint8Array,
  visit: (kind: number, number: number, body: Uint8Array) => void,
): void {
  let offset = 0;
  while (offset < message.length) {
    if (offset + FRAME_HEADER_BYTES > message.length) {
      throw new MalformedFrameError('a frame header is cut short');
    }
    const number = readUint32(message, offset + 1);
    const end = offset + FRAME_HEADER_BYTES + readUint32(message, offset + 5);
    if (end > message.length) throw new MalformedFrameError('a frame body is cut short');
    visit(message[offset] ?? 0, number, message.subarray(offset + FRAME_HEADER_BYTES, end));
    offset = end;
  }
}

function readUint32(bytes: Uint8Array, offset: number): number {
  const low =
    ((bytes[offset + 1] ?? 0) << 16) | ((bytes[offset + 2] ?? 0) << 8) | (bytes[offset + 3] ?? 0);
  return (bytes[offset] ?? 0) * 0x1_00_00_00 + low;
}
