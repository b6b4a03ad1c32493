import { expect, it } from 'vitest';
import { Organization } from './resources.ts';

const read = (fields: object) => Organization.safeParse({ id: 'o', plan: 'p', ...fields });

it('a budget is hard by default, with thresholds at 50, 80 and 100 percent', () => {
  expect(read({ budget: { monthly: '100' } }).data?.budget).toEqual({
    monthly: '100',
    thresholds: [50, 80, 100],
    hard: true,
  });
});

it.each([
  ['a threshold twice', { budget: { monthly: '1', thresholds: [50, 50] } }],
  ['no amount', { budget: {} }],
  ['a webhook with a password', { webhooks: [{ url: 'https://a:b@example.com' }] }],
  ['a webhook by another protocol', { webhooks: [{ url: 'file:///etc/passwd' }] }],
  [
    'the same webhook twice',
    { webhooks: [{ url: 'https://example.com' }, { url: 'https://example.com' }] },
  ],
])('an organization with %s is refused', (_, fields) => {
  expect(read(fields).success).toBe(false);
});
