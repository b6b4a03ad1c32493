import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Sealer, type SealedKind } from './sealed-text.ts';

const OLD = new Uint8Array(32).fill(1);
const NEW = new Uint8Array(32).fill(2);
const KIND: SealedKind<{ who: string }> = {
  purpose: 'test',
  claims: z.object({ who: z.string() }),
  lifeMs: 60_000,
};

function sealer(keys: readonly Uint8Array[], now = 1_000_000): Sealer {
  return new Sealer({ keys, wallClock: () => now });
}

describe('sealed text', () => {
  it('opens with every key of the list, so that keys can be replaced', async () => {
    const text = await sealer([OLD]).seal(KIND, { who: 'ada' });
    expect(await sealer([NEW, OLD]).open(KIND, text)).toEqual({ who: 'ada' });
    expect(await sealer([NEW]).open(KIND, text)).toBeUndefined();
  });

  it('does not open for another purpose, after its time, or changed', async () => {
    const text = await sealer([OLD]).seal(KIND, { who: 'ada' });
    expect(await sealer([OLD]).open({ ...KIND, purpose: 'other' }, text)).toBeUndefined();
    expect(await sealer([OLD], 1_061_000).open(KIND, text)).toBeUndefined();
    expect(await sealer([OLD]).open(KIND, `${text.slice(0, -4)}AAAA`)).toBeUndefined();
    expect(await sealer([OLD]).open(KIND, 'no token')).toBeUndefined();
  });
});
