import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES, ServiceError } from '@sluice/contracts';
import { describe, expect, test } from 'vitest';
import { errorReply, HTTP_ERRORS } from './error-reply.ts';

const documentation = readFileSync(join(import.meta.dirname, '../../../../docs/errors.md'), 'utf8');

/** The rows of the table, by their first cell. */
const documented = new Map(
  documentation
    .split('\n')
    // Other tables of the page have no status in their second column.
    .filter((line) => /^\| `\w+` *\| \d{3} /.test(line))
    .map((line) => {
      const cells = line.split('|').map((cell) => cell.trim().replaceAll('`', ''));
      return [cells[1], { status: cells[2], type: cells[3], code: cells[4] }] as const;
    }),
);

describe('the error table', () => {
  test.each(ERROR_CODES)('the documentation has the status, type and code of %s', (code) => {
    const { status, type, code: wireCode } = HTTP_ERRORS[code];
    expect(documented.get(code)).toEqual({ status: String(status), type, code: String(wireCode) });
  });

  test('the documentation has no other codes', () => {
    expect(new Set(documented.keys())).toEqual(new Set(ERROR_CODES));
  });
});

describe('an error reply', () => {
  test.each([
    [1, '1', '1'],
    [999.2, '1', '1000'],
    [1_000, '1', '1000'],
    [1_000.1, '2', '1001'],
    [0, '1', '1'],
  ])(
    'with a delay of %s ms has it in whole seconds and in milliseconds',
    (retryAfterMs, seconds, exact) => {
      const { headers } = errorReply(
        new ServiceError('service_unavailable', 'later', { retryAfterMs }),
      );
      expect(headers).toEqual({ 'retry-after': seconds, 'retry-after-ms': exact });
    },
  );

  test.each(ERROR_CODES.filter((code) => HTTP_ERRORS[code].status === 503))(
    '%s always has a delay, of one second by default',
    (code) => {
      const { headers } = errorReply(new ServiceError(code, 'later'));
      expect(headers).toEqual({ 'retry-after': '1', 'retry-after-ms': '1000' });
    },
  );

  test('has exactly four fields', () => {
    const { body } = errorReply(new ServiceError('invalid_value', 'is wrong', { param: 'seed' }));
    expect(JSON.parse(body)).toEqual({
      error: {
        message: 'is wrong',
        type: 'invalid_request_error',
        param: 'seed',
        code: 'invalid_value',
      },
    });
  });

  test('x-should-retry is false only for a rate limit that a retry cannot pass', () => {
    const retryable = new ServiceError('rate_limit_exceeded', 'x', { retryable: true });
    const permanent = new ServiceError('rate_limit_exceeded', 'x', { retryable: false });
    expect(errorReply(retryable).headers).not.toHaveProperty('x-should-retry');
    expect(errorReply(permanent).headers).toHaveProperty('x-should-retry', 'false');
  });
});
