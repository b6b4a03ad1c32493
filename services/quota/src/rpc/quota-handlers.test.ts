import { describe, expect, it } from 'vitest';
import { ONE_REQUEST, REVISION, UNLIMITED } from '../../tests/support/calls.ts';
import { AdmissionQueue } from '../domain/admission-queue.ts';
import { Breaker } from '../domain/breaker.ts';
import type { LedgerCall } from '../domain/ledger.ts';
import { quotaHandlers } from './quota-handlers.ts';

function openHandlers() {
  const sent: LedgerCall[] = [];
  const queue = new AdmissionQueue({
    ledger: {
      decide: (calls) => {
        sent.push(...calls);
        return calls.map(() => Promise.resolve([]));
      },
    },
    deadlineMs: 1_000,
    now: () => performance.now(),
    onAnswered: () => undefined,
    onFailed: () => undefined,
  });
  const reached = Promise.withResolvers<void>();
  const breaker = new Breaker({
    failuresToOpen: 1,
    probeIntervalMs: 1_000,
    probe: () => Promise.resolve(),
    onChange: () => reached.resolve(),
  });
  const { admit } = quotaHandlers(queue, {
    answersFor: (organization) => organization === 'elsewhere' || breaker.state === 'closed',
  });
  return {
    admit: (organization: string, { gone }: { readonly gone: boolean }) =>
      admit({ organization, limits: UNLIMITED, revision: REVISION, ...ONE_REQUEST }, undefined, {
        gone,
      }),
    sentFor: () => sent.map(({ organization }) => organization),
    reachStore: () => {
      breaker.probe();
      return reached.promise;
    },
    [Symbol.dispose]: () => breaker[Symbol.dispose](),
  };
}

describe('nothing is sent to the store', () => {
  it('for a caller that has gone', async () => {
    using handlers = openHandlers();
    await handlers.reachStore();
    await Promise.all([
      handlers.admit('gone', { gone: true }),
      handlers.admit('there', { gone: false }),
    ]);
    expect(handlers.sentFor()).toStrictEqual(['there']);
  });

  it('while it does not answer for an organization', async () => {
    using handlers = openHandlers();
    expect(await handlers.admit('early', { gone: false })).toStrictEqual({
      outcome: 'unavailable',
    });
    await handlers.admit('elsewhere', { gone: false });
    await handlers.reachStore();
    await handlers.admit('there', { gone: false });
    expect(handlers.sentFor()).toStrictEqual(['elsewhere', 'there']);
  });
});
