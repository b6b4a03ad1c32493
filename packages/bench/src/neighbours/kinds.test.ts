import { expect, test } from 'vitest';
import { LARGEST_BODY } from './completion-body.ts';
import { KINDS, harmlessTraffic, hostileTraffic } from './kinds.ts';

const TARGET = {
  host: '127.0.0.1',
  port: 1,
  path: '/compat/v1/chat/completions',
  headers: { authorization: 'Bearer key' },
};
/** Room for the head of a request, in addition to the largest body. */
const HEAD = 1_024;

const bytesOf = (traffic: readonly { readonly bytes: Buffer }[]) =>
  traffic.reduce((sum, { bytes }) => sum + bytes.length, 0);

test.each(KINDS)(
  '%s has a harmless load of as many bytes, in bodies of an accepted size',
  (kind) => {
    const hostile = hostileTraffic(kind, TARGET);
    const harmless = harmlessTraffic(kind, TARGET);
    for (const { bytes } of harmless) expect(bytes.length).toBeLessThan(LARGEST_BODY + HEAD);
    if (bytesOf(hostile) < HEAD) return;
    expect(bytesOf(harmless) / bytesOf(hostile)).toBeCloseTo(1, 1);
    expect(harmless.length).toBeLessThanOrEqual(hostile.length);
  },
);
