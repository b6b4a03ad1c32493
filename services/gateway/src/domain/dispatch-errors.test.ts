import { ServiceError } from '@sluice/contracts';
import { describe, expect, test } from 'vitest';
import { failureOf, namingParameter, unreachableError } from './dispatch-errors.ts';
import type { SchemaParameter } from './examine-request.ts';

function refusedByRuntime(schemaIn?: SchemaParameter): unknown {
  const end = { kind: 'failed', reason: 'invalid_request', retryable: false } as const;
  const error = failureOf({ ...end, retryAfterMs: undefined });
  return namingParameter(error, { schemaIn });
}

describe('a request that the runtime refuses', () => {
  test.each([
    ['response_format', 'response_format'],
    ['tools', 'tools'],
    [undefined, 'messages'],
  ] as const)('with a schema in %s is told at %s', (schemaIn, param) => {
    expect(refusedByRuntime(schemaIn)).toMatchObject({
      code: 'invalid_value',
      param,
      retryable: false,
    });
  });

  test.each([unreachableError(), new ServiceError('invalid_api_key', 'x'), new Error('x')])(
    'is told apart from %o',
    (error) => {
      expect(namingParameter(error, { schemaIn: 'tools' })).toBe(error);
    },
  );
});

test('a conversation beyond the context is refused in the words that clients look for', () => {
  const end = { kind: 'failed', reason: 'context_length_exceeded', retryable: false } as const;
  const { message } = failureOf({ ...end, retryAfterMs: undefined });
  expect(message).toContain("This model's maximum context length is");
  expect(message).toContain('prompt is too long');
});
