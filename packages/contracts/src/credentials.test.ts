import { describe, expect, it } from 'vitest';
import {
  apiKeyDigest,
  isWellFormedApiKey,
  isWellFormedPlaygroundToken,
  mintApiKey,
} from './credentials.ts';

describe('an API key', () => {
  it('is well formed when it was minted, and never minted twice', () => {
    const keys = Array.from({ length: 500 }, () => mintApiKey());
    expect(keys.every(isWellFormedApiKey)).toBe(true);
    expect(new Set(keys).size).toBe(500);
    expect(keys[0]).toMatch(/^sk-[0-9A-Za-z]{49}$/);
  });

  it('stays well formed in every later version', () => {
    expect(isWellFormedApiKey(`sk-${'0'.repeat(43)}2CZclj`)).toBe(true);
  });

  it('is refused when a character is mistyped, or two are swapped', () => {
    const key = mintApiKey();
    for (let at = 3; at < key.length; at += 1) {
      const other = key[at] === 'x' ? 'y' : 'x';
      expect(isWellFormedApiKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
      const swapped = `${key.slice(0, at - 1)}${key[at]}${key[at - 1]}${key.slice(at + 1)}`;
      if (swapped !== key) expect(isWellFormedApiKey(swapped)).toBe(false);
    }
  });

  it('is refused when something was cut or added', () => {
    const key = mintApiKey();
    for (const text of [
      '',
      'sk-',
      key.slice(1),
      key.slice(0, -1),
      `${key}0`,
      `${key}\n`,
      ` ${key}`,
      `pk-${key.slice(3)}`,
    ]) {
      expect(isWellFormedApiKey(text)).toBe(false);
    }
  });

  it('is looked up by its SHA-256', () => {
    expect(apiKeyDigest('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});

describe('a playground credential', () => {
  const signature = 'A'.repeat(86);

  it('is well formed if it has claims and a signature', () => {
    expect(isWellFormedPlaygroundToken(`pg-e30.${signature}`)).toBe(true);
    expect(isWellFormedPlaygroundToken(`pg-${'a'.repeat(1_024)}.${signature}`)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['an API key', mintApiKey()],
    ['without claims', `pg-.${signature}`],
    ['without a signature', 'pg-e30.'],
    ['with a short signature', `pg-e30.${signature.slice(1)}`],
    ['with padding', `pg-e30=.${signature}`],
    ['with a third part', `pg-e30.e30.${signature}`],
    ['with a line break', `pg-e30.${signature}\n`],
    ['without end', `pg-${'a'.repeat(1_025)}.${signature}`],
  ])('is refused when it is %s', (_name, text) => {
    expect(isWellFormedPlaygroundToken(text)).toBe(false);
  });
});
