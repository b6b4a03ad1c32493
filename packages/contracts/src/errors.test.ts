import { describe, expect, it } from 'vitest';
import { ServiceError } from './errors.ts';

describe('a failure with a meaning for the caller', () => {
  it('is not retryable unless it says so', () => {
    expect(new ServiceError('internal_error', 'broken')).toMatchObject({
      param: null,
      retryable: false,
      retryAfterMs: undefined,
    });
    const details = { param: 'n', retryable: true, retryAfterMs: 5 };
    expect(new ServiceError('rate_limit_exceeded', 'later', details)).toMatchObject(details);
  });

  it('hides any other thrown value, and keeps it as the cause', () => {
    const cause = new TypeError('secret');
    const error = ServiceError.from(cause);
    expect(error).toMatchObject({ code: 'internal_error', cause, retryable: false });
    expect(error.message).not.toContain('secret');
    expect(ServiceError.from(error)).toBe(error);
  });
});
