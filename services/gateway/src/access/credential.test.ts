import { mintApiKey } from '@sluice/contracts';
import { describe, expect, test } from 'vitest';
import { readCredential } from './credential.ts';

const read = (text: string) => readCredential(['Authorization', `Bearer ${text}`]);
const signature = 'A'.repeat(86);

describe('a credential', () => {
  test.each([
    [mintApiKey(), 'api_key'],
    [`pg-claims.${signature}`, 'playground'],
  ])('%s is read', (text, kind) => {
    expect(read(text)).toMatchObject({ kind });
  });

  test.each([
    `${mintApiKey()}x`,
    'pg-',
    'pg-anything',
    'pg-abc.def',
    `pg-${'a'.repeat(1_025)}.${signature}`,
    `pg-claims.${signature}=`,
  ])('%s is refused by its format alone', (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'invalid_api_key' }));
  });

  test('is refused if the Authorization header is sent twice, in any case', () => {
    const key = `Bearer ${mintApiKey()}`;
    expect(() => readCredential(['Authorization', key, 'authorization', key])).toThrow(
      expect.objectContaining({ code: 'missing_api_key' }),
    );
  });
});
