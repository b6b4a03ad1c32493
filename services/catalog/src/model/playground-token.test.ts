import { PLAYGROUND_PREFIX } from '@sluice/contracts';
import { describe, expect, it } from 'vitest';
import type { SigningKey } from './entry-kinds.ts';
import {
  makeSigningKeyPair,
  signPlaygroundToken,
  verifyPlaygroundToken,
  type SigningKeyPair,
} from './playground-token.ts';

const pair = makeSigningKeyPair();
const claims = {
  id: 'pgt_one',
  key: pair.id,
  account: 'ada@example.com',
  project: 'engine',
  expires_at_ms: 5,
};

const published = ({ id, publicKey }: SigningKeyPair): SigningKey => ({
  id,
  public_key: publicKey,
  created_at_ms: 0,
  expires_at_ms: 0,
});
const known = (id: string) => (id === pair.id ? published(pair) : undefined);

describe('a playground token', () => {
  const token = signPlaygroundToken(claims, pair);

  it('returns the signed claims', () => {
    expect(token.startsWith(PLAYGROUND_PREFIX)).toBe(true);
    expect(verifyPlaygroundToken(token, known)).toEqual(claims);
  });

  it('is invalid if any character is changed', () => {
    for (let at = 0; at < token.length; at += 1) {
      const other = token[at] === 'A' ? 'B' : 'A';
      const changed = token.slice(0, at) + other + token.slice(at + 1);
      expect(verifyPlaygroundToken(changed, known)).toBeUndefined();
    }
  });

  it('has one valid spelling, although its last character has unused bits', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const spellings = Array.from(
      { length: alphabet.length },
      (_, place) => token.slice(0, -1) + alphabet.charAt(place),
    );
    expect(spellings).toContain(token);
    expect(
      spellings.filter((spelling) => verifyPlaygroundToken(spelling, known) !== undefined),
    ).toEqual([token]);
  });

  it('is invalid if it is signed with another key than it names', () => {
    const forged = signPlaygroundToken(claims, makeSigningKeyPair());
    expect(verifyPlaygroundToken(forged, known)).toBeUndefined();
    expect(verifyPlaygroundToken(token, () => undefined)).toBeUndefined();
  });

  it('is invalid if its signed claims are malformed', () => {
    const sign = (payload: object) => signPlaygroundToken(payload as typeof claims, pair);
    const { account: _account, ...anonymous } = claims;
    for (const bad of [
      sign({}),
      sign([]),
      sign(anonymous),
      sign({ ...claims, expires_at_ms: '9' }),
    ]) {
      expect(verifyPlaygroundToken(bad, known)).toBeUndefined();
    }
  });

  it.each(['', 'pg-', 'pg-.', 'pg-x.y', 'sk-x', `${token}\n`, `${token}.`, ` ${token}`])(
    'is not %j',
    (text) => {
      expect(verifyPlaygroundToken(text, known)).toBeUndefined();
    },
  );
});
