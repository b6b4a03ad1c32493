import type { ResourceOf } from '@sluice/contracts';
import { expect, test } from 'vitest';
import { resourceTable } from './resource-tables.ts';

const key: ResourceOf<'api_keys'> = {
  id: 'key_1',
  project: 'demo',
  name: '',
  creator: 'ada',
  sha256: '0'.repeat(64),
  last_four: 'abcd',
  created_at_ms: Date.UTC(2026, 0, 31, 12, 30, 59),
  expires_at_ms: null,
  revoked_at_ms: null,
};

test.each([
  [{}, 'works'],
  [{ expires_at_ms: Date.UTC(2020, 1, 1) }, 'expired 2020-02-01 00:00'],
  [{ expires_at_ms: Date.UTC(9999, 11, 31) }, 'works until 9999-12-31 00:00'],
  [{ expires_at_ms: Number.MAX_SAFE_INTEGER }, 'works until +275760-09-13 00:00'],
  [{ revoked_at_ms: Date.UTC(2026, 1, 1) }, 'revoked 2026-02-01 00:00'],
])('a key with %j: %s', (ending, state) => {
  expect(resourceTable('api_keys', [{ ...key, ...ending }]).split('\n')[1]).toBe(
    `key_1  …abcd    demo     -     ada      2026-01-31 12:30  ${state}`,
  );
});
