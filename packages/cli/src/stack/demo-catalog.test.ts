import type { ApiKey } from '@sluice/contracts';
import { expect, test } from 'vitest';
import { catalogHolding } from '../catalog/catalog-fixture.ts';
import { createDemoKey } from './demo-catalog.ts';

const key = (id: string, created_at_ms: number, name = 'sluice up'): ApiKey => ({
  id,
  project: 'demo',
  name,
  creator: 'demo',
  sha256: '0'.repeat(64),
  last_four: 'abcd',
  created_at_ms,
  expires_at_ms: null,
  revoked_at_ms: null,
});

test('of the keys of earlier starts the newest are kept, and those of others are left alone', async () => {
  const deleted: string[] = [];
  const admin = catalogHolding(
    {
      api_keys: [
        key('oldest', 1),
        key('newest', 7),
        key('of-a-person', 0, 'my script'),
        key('third', 3),
        key('second', 2),
        ...[4, 5, 6].map((at) => key(`made-at-${at}`, at)),
      ],
    },
    {
      createApiKey: () => Promise.resolve({ id: 'newest', key: 'sk-new' }),
      deleteResource: ({ id = '' }) => {
        deleted.push(id);
        return Promise.resolve({ position: null });
      },
    },
  );
  expect(await createDemoKey(admin)).toBe('sk-new');
  expect(deleted.toSorted()).toEqual(['oldest', 'second']);
});
