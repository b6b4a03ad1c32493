import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES, ServiceError } from '@sluice/contracts';
import { describe, expect, test } from 'vitest';
import { errorReply } from './error-reply.ts';
import { HTTP_ERRORS } from './error-table.ts';

const documentation = readFileSync(join(import.meta.dirname, '../../../../docs/errors.md'), 'utf8');

/** The table's rows, by their first cell. */
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
  test.each(ERROR_CODES)('%s is documented as it is sent', (code) => {
    const { status, type, code: wireCode } = HTTP_ERRORS[code];
    expect(documented.get(code)).toEqual({ status: String(status), type, code: String(wireCode) });
  });

  test('nothing is documented that does not exist', () => {
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
  ])('that waits %s ms says so in whole seconds and exactly', (retryAfterMs, seconds, exact) => {
    const { headers } = errorReply(
      new ServiceError('service_unavailable', 'later', { retryAfterMs }),
    );
    expect(headers).toEqual({ 'retry-after': seconds, 'retry-after-ms': exact });
  });

  test.each(ERROR_CODES.filter((code) => HTTP_ERRORS[code].status === 503))(
    '%s always says when to retry, after a second if nobody knew better',
    (code) => {
      const { headers } = errorReply(new ServiceError(code, 'later'));
      expect(headers).toEqual({ 'retry-after': '1', 'retry-after-ms': '1000' });
    },
  );

  test('holds exactly the four fields', () => {
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

  test('a refusal by a limit that a minute cures leaves the retry to the client', () => {
    const curable = new ServiceError('rate_limit_exceeded', 'x', { retryable: true });
    const incurable = new ServiceError('rate_limit_exceeded', 'x', { retryable: false });
    expect(errorReply(curable).headers).not.toHaveProperty('x-should-retry');
    expect(errorReply(incurable).headers).toHaveProperty('x-should-retry', 'false');
  });
});
