import { ServiceError } from '@sluice/contracts';
import { describe, expect, test } from 'vitest';
import { busyError, failureOf, addRefusedParameter, unreachableError } from './dispatch-errors.ts';

const plain = { schemaIn: undefined, reasoningEffort: undefined, model: {} };
const reasoning = { supported_efforts: ['low'], mandatory: false };

describe('a request that the runtime refuses', () => {
  test.each([
    ['a schema for its answer', { schemaIn: 'response_format' }, 'response_format'],
    ['tools', { schemaIn: 'tools', reasoningEffort: 'low' }, 'tools'],
    ['an effort that the gateway could not check', { reasoningEffort: 'low' }, 'reasoning_effort'],
    ['an effort that the model has', { reasoningEffort: 'low', model: { reasoning } }, 'messages'],
    ['nothing but messages', {}, 'messages'],
  ] as const)('with %s names the likeliest parameter', (_, parts, param) => {
    const end = { kind: 'failed', reason: 'invalid_request', retryable: false } as const;
    const error = failureOf({ ...end, retryAfterMs: undefined });
    expect(addRefusedParameter(error, { ...plain, ...parts })).toMatchObject({
      code: 'invalid_value',
      param,
      retryable: false,
    });
  });

  test.each([unreachableError(), new ServiceError('invalid_api_key', 'x'), new Error('x')])(
    'leaves %o unchanged',
    (error) => {
      expect(addRefusedParameter(error, { ...plain, schemaIn: 'tools' })).toBe(error);
    },
  );
});

test.each([
  ['schema_unreadable', 'ECMA-262'],
  ['schema_too_costly', '500 ms to prepare, or more than 200 ms for a reply'],
])('a schema that a worker refuses as %s names its parameter', (reason, words) => {
  const param = 'tools[1].function.parameters';
  const end = { kind: 'failed', reason, retryable: false, retryAfterMs: undefined } as const;
  const error = addRefusedParameter(failureOf({ ...end, param }), { ...plain, schemaIn: 'tools' });
  expect(error).toMatchObject({ code: 'invalid_value', param, retryable: false });
  expect(error).toHaveProperty('message', expect.stringContaining(words));
  expect(failureOf(end)).toMatchObject({ code: 'invalid_value', param: 'response_format' });
});

test('a conversation beyond the context is refused in the words that client libraries match', () => {
  const end = { kind: 'failed', reason: 'context_length_exceeded', retryable: false } as const;
  const { message } = failureOf({ ...end, retryAfterMs: undefined });
  expect(message).toContain("This model's maximum context length is");
  expect(message).toContain('prompt is too long');
});

test('the wait is between a second and a minute', () => {
  const waits = [0, 4_000, 3_600_000].map((waitMs) => busyError(waitMs).retryAfterMs);
  expect(waits).toEqual([1_000, 4_000, 60_000]);
});

test('a lost connection to the bus is not reported as a failure of the backend', () => {
  expect(failureOf({ kind: 'disconnected' })).toMatchObject({ code: 'service_unavailable' });
  expect(failureOf({ kind: 'silent' })).toMatchObject({ code: 'upstream_unavailable' });
});
