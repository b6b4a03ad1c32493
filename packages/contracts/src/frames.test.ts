import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  FrameKind,
  MalformedFrameError,
  encodeFrames,
  frame,
  jsonFrame,
  readFrames,
} from './frames.ts';

type Seen = [kind: number, number: number, body: Uint8Array];

function read(message: Uint8Array): Seen[] {
  const seen: Seen[] = [];
  readFrames(message, (kind, number, body) => seen.push([kind, number, body]));
  return seen;
}

const anyFrame = fc.record({
  kind: fc.constantFrom(...Object.values(FrameKind)),
  body: fc.uint8Array({ maxLength: 300, size: 'max' }),
});

describe('frames', () => {
  it('come back as they were written, numbered one after another', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 0xffff_ff00 }),
        fc.array(anyFrame, { maxLength: 20, size: 'max' }),
        (first, frames) => {
          const seen = read(encodeFrames(first, frames));
          expect(seen.map(([kind, number, body]) => [kind, number, [...body]])).toEqual(
            frames.map(({ kind, body }, index) => [kind, first + index, [...body]]),
          );
        },
      ),
    );
  });

  it('are read as views, without a copy', () => {
    const message = encodeFrames(0, [frame(FrameKind.delta, Buffer.from('text'))]);
    expect(read(message)[0]?.[2].buffer).toBe(message.buffer);
  });

  it('of an unknown kind are read like any other', () => {
    const message = encodeFrames(7, [
      { kind: 200, body: Buffer.from('new') },
      frame(FrameKind.tick),
    ]);
    expect(read(message).map(([kind, number]) => [kind, number])).toEqual([
      [200, 7],
      [FrameKind.tick, 8],
    ]);
  });

  it('that are cut anywhere but between two are malformed', () => {
    const frames = [
      frame(FrameKind.delta, Buffer.from('ab')),
      jsonFrame(FrameKind.usage, { a: 1 }),
    ];
    const message = encodeFrames(0, frames);
    const whole = new Set([0, 11, message.length]);
    for (let end = 0; end <= message.length; end += 1) {
      const cut = message.subarray(0, end);
      if (whole.has(end)) expect(() => read(cut)).not.toThrow();
      else expect(() => read(cut)).toThrow(MalformedFrameError);
    }
  });

  it('carry JSON as UTF-8', () => {
    expect(Buffer.from(jsonFrame(FrameKind.failed, { reason: 'größer' }).body).toString()).toBe(
      '{"reason":"größer"}',
    );
  });
});
