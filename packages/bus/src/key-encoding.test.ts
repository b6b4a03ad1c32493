import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeKey, encodeKey } from './key-encoding.ts';

describe('keys of the store', () => {
  it('keeps what the store allows readable', () => {
    expect(encodeKey('model/org-1/Demo_Chat')).toBe('model/org-1/Demo_Chat');
  });

  it('escapes dots, wildcards, spaces, controls and the escape itself', () => {
    expect(encodeKey('a.b *>=')).toBe('a=2Eb=20=2A=3E=3D');
    expect(encodeKey('a\nb')).toBe('a=0Ab');
  });

  it('refuses an empty key', () => {
    expect(() => encodeKey('')).toThrow(RangeError);
  });

  it('encodes any text as a valid key and gives it back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (key) => {
        const encoded = encodeKey(key);
        expect(encoded).toMatch(/^[-/=\w]+$/);
        expect(decodeKey(encoded)).toBe(key);
      }),
    );
  });
});
