import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';
import { NoRespondersError, RequestError, TimeoutError } from '@nats-io/transport-node';
import { expect, it } from 'vitest';
import {
  BusNoRespondersError,
  BusTimeoutError,
  KeyValueConflictError,
  KeyValueRefusedError,
} from './bus-errors.ts';
import { writeFailure } from './write-failure.ts';

const WRITE = { subject: '$KV.catalog.a', expectedLastSequence: 7 };

function refusal(code: number, description: string): JetStreamApiError {
  return new JetStreamApiError({ code: 500, err_code: code, description });
}

function unanswered(): Error {
  const cause = new RequestError('', { cause: new NoRespondersError(WRITE.subject) });
  return new Error('jetstream is not enabled', { cause });
}

it.each([
  [
    'a store that has moved on',
    refusal(JetStreamApiCodes.StreamWrongLastSequence, 'wrong last sequence: 8'),
    KeyValueConflictError,
  ],
  [
    'a store that has moved on, and does not say how far',
    refusal(JetStreamApiCodes.StreamWrongLastSequenceUnknown, 'wrong last sequence'),
    KeyValueConflictError,
  ],
  ['no answer in time', new TimeoutError(), BusTimeoutError],
  ['nobody to take it', unanswered(), BusNoRespondersError],
  ['a leader that has just changed', refusal(0, 'raft: not the leader'), BusNoRespondersError],
  ['a full disk', refusal(10_077, 'insufficient resources'), KeyValueRefusedError],
])('a failed write is reported: %s', (_, cause, expected) => {
  expect(writeFailure(cause, WRITE)).toBeInstanceOf(expected);
  expect(writeFailure(cause, WRITE)).toMatchObject({ cause });
});

it('an error that does not come from the store is passed on unchanged', () => {
  const bug = new RangeError('a bug');
  expect(writeFailure(bug, WRITE)).toBe(bug);
});
