import { describe, expect, it } from 'vitest';
import {
  LedgerRecord,
  isRefusal,
  readTokenUsage,
  tokenUsageOf,
  type AttemptRecord,
  type RequestRecord,
} from './ledger.ts';

const request: RequestRecord = {
  kind: 'request',
  id: '0b6c4f3e-8a55-4f0e-9d0c-3a1f3a4f6f11',
  gateway: 'abcdefghijkl',
  organization: 'acme',
  project: 'app',
  credential: 'key_1',
  operation: 'completions',
  model: 'large',
  stream: true,
  outcome: 'completed',
  code: null,
  attempts: 1,
  refused_offers: 0,
  target: 'stable',
  estimated_input_tokens: 4,
  delivered_tokens: 12,
  usage: { input_tokens: 3, cached_tokens: 1, output_tokens: 12, reasoning_tokens: 4 },
  received_at_ms: 1_700_000_000_000,
  first_token_ms: 40,
  duration_ms: 200,
  status: 200,
  limits: {
    tokens: 4,
    windows: { requests_per_minute: [60, 59] },
    refused_by: 'requests_per_minute',
    wait_ms: 900,
  },
  offers: [
    { worker: 'w1', target: 'stable', after_ms: 3, took_ms: 1, ended: 'refused', reason: 'full' },
  ],
  scheduling_class: -1,
  weight: 2.5,
};

const attempt: AttemptRecord = {
  kind: 'attempt',
  id: '0b6c4f3e-8a55-4f0e-9d0c-3a1f3a4f6f11-1',
  request: '0b6c4f3e-8a55-4f0e-9d0c-3a1f3a4f6f11',
  worker: 'mnopqrstuvwx',
  gateway: 'abcdefghijkl',
  organization: 'acme',
  project: 'app',
  model: 'large',
  ended: 'abandoned',
  reason: 'cancelled',
  generated_tokens: 5,
  unheard_tokens: 0,
  usage: null,
  accepted_at_ms: 1_700_000_000_000,
  queued_ms: 0,
  ran_ms: 180,
  worker_name: 'gpu-3',
  host: 'machine-7',
  runtime: 'http://127.0.0.1:8000',
};

describe('a request that counts as a refusal', () => {
  it.each(['refused', 'failed', 'cancelled'] as const)(
    'is a %s one that no worker was offered',
    (outcome) => {
      expect(isRefusal({ ...request, outcome, attempts: 0 })).toBe(true);
      expect(isRefusal({ ...request, outcome, attempts: 1 })).toBe(false);
    },
  );

  it('is not one that was answered without a worker', () => {
    expect(isRefusal({ ...request, operation: 'models', attempts: 0 })).toBe(false);
  });
});

describe('records of the ledger', () => {
  it.each([request, attempt])('of a $kind are read back as they were written', (record) => {
    expect(LedgerRecord.parse(JSON.parse(JSON.stringify(record)))).toEqual(record);
  });

  it('of version 0.1.0, which left out that no offer was refused, are read', () => {
    const { refused_offers: _none, ...earlier } = request;
    expect(LedgerRecord.parse(earlier)).toEqual(request);
  });

  it('of version 0.2.0, which knew no targets, are read', () => {
    const { target: _absent, ...earlier } = request;
    expect(LedgerRecord.parse(earlier)).toEqual({ ...request, target: null });
  });

  it('of newer writers are read without unknown fields', () => {
    expect(LedgerRecord.parse({ ...request, region: 'north' })).toEqual(request);
  });

  it.each([
    { ...request, outcome: 'forgotten' },
    { ...request, delivered_tokens: -1 },
    { ...attempt, kind: 'guess' },
  ])('that make no sense are not read', (record) => {
    expect(LedgerRecord.safeParse(record).success).toBe(false);
  });

  it('have no field for content', () => {
    const fields = LedgerRecord.options.flatMap(({ shape }) => Object.keys(shape));
    expect(fields.join(' ')).not.toMatch(/content|message|prompt|text|body/);
  });
});

describe('the usage of a reply', () => {
  const usage = {
    prompt_tokens: 3,
    completion_tokens: 12,
    total_tokens: 15,
    prompt_tokens_details: { cached_tokens: 1, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 4 },
  };

  it('is converted to the field names of the ledger', () => {
    expect(tokenUsageOf(usage)).toEqual(request.usage);
    expect(readTokenUsage(usage)).toEqual(request.usage);
  });

  it('is undefined if it is not a usage object', () => {
    expect(readTokenUsage(null)).toBeUndefined();
    expect(readTokenUsage({ ...usage, prompt_tokens: -1 })).toBeUndefined();
  });
});
