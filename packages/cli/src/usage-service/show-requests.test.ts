import { expect, test } from 'vitest';
import { listedRequest } from './listed-request-fixture.ts';
import { requestLines } from './show-requests.ts';

const request = {
  ...listedRequest,
  organization: 'acme, "the"',
  inputTokens: 1_000,
  outputTokens: 234,
};

test('a table has a line for each request, and the names of the columns only once', () => {
  expect(requestLines([request], 'table', { head: true })).toEqual([
    'RECEIVED        REQUEST   ORGANIZATION  STATUS  OUTCOME                        MS  TOKENS',
    '01-02 12:00:00  request1  acme, "the"   502     failed: upstream_unavailable  200    1234',
  ]);
  expect(requestLines([request], 'table', { head: false })).toHaveLength(1);
});

test('CSV can be read back by other programs', () => {
  expect(requestLines([request], 'csv', { head: true })).toEqual([
    'id,received_at,organization,project,key,model,target,operation,outcome,status,code,gateway,offers,refused_offers,first_token_ms,duration_ms,input_tokens,cached_tokens,output_tokens,reasoning_tokens,spend',
    'request1,2027-01-02T12:00:00.000Z,"acme, ""the""",app,key1,large,canary,completions,failed,502,upstream_unavailable,gateway1,2,1,,200,1000,0,234,0,0.000150000001',
  ]);
});

test('JSON has a line for each request', () => {
  const [line = ''] = requestLines([request], 'json', { head: true });
  expect(JSON.parse(line)).toMatchObject({ id: 'request1', key: 'key1', first_token_ms: null });
});
