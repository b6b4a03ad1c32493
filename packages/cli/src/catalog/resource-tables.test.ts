import { ResourceSchemas, type ResourceKind, type ResourceOf } from '@sluice/contracts';
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
  expect(cellsOf('api_keys', [{ ...key, ...ending }])).toEqual([
    ['key_1', '…abcd', 'demo', '-', state, 'ada', '2026-01-31 12:30'],
  ]);
});

/** The cells of each row. Columns are separated by at least two spaces. */
function cellsOf<Kind extends ResourceKind>(kind: Kind, documents: readonly ResourceOf<Kind>[]) {
  const [, ...rows] = resourceTable(kind, documents).split('\n');
  return rows.map((row) => row.split(/ {2,}/));
}

test('a plan with its limits', () => {
  const limits = { requests_per_minute: 10, requests_per_day: 2_000, tokens_per_minute: null };
  const plans = [
    ResourceSchemas.plans.parse({ id: 'free', limits, models: ['a', 'b'] }),
    ResourceSchemas.plans.parse({ id: 'paid', limits, weight: 3, scheduling_class: 2 }),
  ];
  expect(cellsOf('plans', plans)).toEqual([
    ['free', '10', '2000', 'unlimited', 'unlimited', 'a b', 'api_key playground', '-'],
    ['paid', '10', '2000', 'unlimited', 'unlimited', '*', 'api_key playground', 'weight=3 class=2'],
  ]);
});

test('a model with its known fields', () => {
  const plain = { id: 'plain', owned_by: 'us', pool: 'gpu', runtime_model: 'org/plain' };
  const models = [
    ResourceSchemas.models.parse(plain),
    ResourceSchemas.models.parse({
      ...plain,
      context_length: 4_096,
      max_output_tokens: 512,
      reasoning: { supported_efforts: ['low', 'high'], default_effort: 'low', mandatory: true },
      shutdown_date: '2027-01-31',
    }),
  ];
  expect(cellsOf('models', models)).toEqual([
    ['plain', 'us', 'gpu', 'org/plain', '-', '-', '-', '-'],
    ['plain', 'us', 'gpu', 'org/plain', '4096', '512', 'low high', '2027-01-31'],
  ]);
});

test('a model with several targets and the share of each', () => {
  const model = ResourceSchemas.models.parse({
    id: 'split',
    owned_by: 'us',
    targets: [
      { pool: 'old', runtime_model: 'chat-1', weight: 2 },
      { pool: 'new', runtime_model: 'chat-2', weight: 1 },
      { pool: 'gone', runtime_model: 'chat-3', weight: 0 },
    ],
  });
  expect(cellsOf('models', [model])).toEqual([
    ['split', 'us', 'old 66.7%, new 33.3%, gone 0%', 'chat-1, chat-2, chat-3', '-', '-', '-', '-'],
  ]);
});

test('an organization is shown with its own limits and its inactive members', () => {
  const organizations = [
    ResourceSchemas.organizations.parse({ id: 'empty', plan: 'free' }),
    ResourceSchemas.organizations.parse({
      id: 'harbour',
      plan: 'free',
      weight: 0.5,
      slots_per_worker: null,
      limits: { requests_per_day: 1_000, tokens_per_day: null },
      members: [{ account: 'ada' }, { account: 'ben', active: false }],
    }),
  ];
  expect(cellsOf('organizations', organizations)).toEqual([
    ['empty', 'free', expect.any(String), expect.any(String), '-', '-', '-'],
    [
      'harbour',
      'free',
      expect.any(String),
      expect.any(String),
      'requests_per_day=1000 tokens_per_day=unlimited',
      'weight=0.5 slots=unlimited',
      'ada (ben)',
    ],
  ]);
});

test('a restricted account, and an account that is not restricted', () => {
  const accounts = [
    ResourceSchemas.accounts.parse({ id: 'ada', access: 'granted', restricted: true }),
    ResourceSchemas.accounts.parse({ id: 'ben' }),
  ];
  expect(cellsOf('accounts', accounts)).toEqual([
    ['ada', 'granted', 'pending', 'yes'],
    ['ben', 'waiting', 'pending', 'no'],
  ]);
});
