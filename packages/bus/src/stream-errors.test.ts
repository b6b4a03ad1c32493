import { PermissionViolationError, RequestError } from '@nats-io/transport-node';
import { expect, it } from 'vitest';
import { reasonOf } from './stream-errors.ts';

it('a missing permission is one reason for every name that the client generates', () => {
  const forbidden = (consumer: string) => {
    const subject = `$JS.API.CONSUMER.CREATE.KV_things.${consumer}`;
    const words = `Permissions Violation for Publish to "${subject}"`;
    const cause = new PermissionViolationError(words, 'publish', subject);
    return new RequestError(words, { cause });
  };
  expect(reasonOf(forbidden('one'))).toBe(reasonOf(forbidden('other')));
  expect(reasonOf(new Error('no space left'))).toBe('no space left');
});
