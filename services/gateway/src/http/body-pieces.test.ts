import { describe, expect, it } from 'vitest';
import { BodyPieces } from './body-pieces.ts';

function piecesOf(body: Buffer, size: number): BodyPieces {
  const pieces = new BodyPieces();
  for (let at = 0; at < body.length; at += size) pieces.add(body.subarray(at, at + size));
  return pieces;
}

const body = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 251));

describe('the pieces of a body', () => {
  it.each([1, 7, 255, 256, 257, 390, 391, 65_536, 100_000])('of %i bytes make it whole', (size) => {
    expect(piecesOf(body, size).joined().equals(body)).toBe(true);
  });

  it('are not held one by one, however many there are', () => {
    expect(piecesOf(body, 1).count).toBeLessThan(1_000);
  });

  it('are not copied where there is one', () => {
    expect(piecesOf(body, body.length).joined().buffer).toBe(body.buffer);
  });

  it('may be none', () => {
    expect(new BodyPieces().joined()).toHaveLength(0);
  });
});
