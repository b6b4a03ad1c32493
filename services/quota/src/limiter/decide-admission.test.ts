import { describe, expect, it } from 'vitest';
import { LOOK, ONE_REQUEST, REVISION, UNLIMITED } from '../../tests/support/calls.ts';
import { InvalidAdmissionError } from './admission-fault.ts';
import { AdmissionQueue } from './admission-queue.ts';
import { Breaker } from './breaker.ts';
import { decideAdmission, peekAdmission } from './decide-admission.ts';
import type { LedgerCall } from './ledger.ts';

function openLimiter() {
  const sent: LedgerCall[] = [];
  const queue = new AdmissionQueue({
    ledger: {
      canSend: true,
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
  const limiter = {
    queue,
    health: {
      answersFor: (organization: string) =>
        organization === 'elsewhere' || breaker.state === 'closed',
    },
  };
  const request = { limits: UNLIMITED, revision: REVISION, ...ONE_REQUEST };
  return {
    admit: (organization: string, { gone }: { readonly gone: boolean } = { gone: false }) =>
      decideAdmission(limiter, { organization, ...request }, { gone }),
    peek: (organization: string) => peekAdmission(limiter, { organization, ...request }),
    sent,
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
    using limiter = openLimiter();
    await limiter.reachStore();
    await Promise.all([limiter.admit('gone', { gone: true }), limiter.admit('there')]);
    expect(limiter.sentFor()).toStrictEqual(['there']);
  });

  it('while it does not answer for an organization', async () => {
    using limiter = openLimiter();
    expect(await limiter.admit('early')).toStrictEqual({ outcome: 'unavailable' });
    await limiter.admit('elsewhere');
    await limiter.reachStore();
    await limiter.admit('there');
    expect(limiter.sentFor()).toStrictEqual(['elsewhere', 'there']);
  });

  it('of an admission that could not be decided exactly', async () => {
    using limiter = openLimiter();
    await limiter.reachStore();
    await expect(limiter.admit('')).rejects.toThrow(InvalidAdmissionError);
    expect(limiter.sentFor()).toStrictEqual([]);
  });
});

it('a look at what is left costs nothing, whatever it names', async () => {
  using limiter = openLimiter();
  await limiter.reachStore();
  await limiter.peek('curious');
  expect(limiter.sent).toMatchObject([{ organization: 'curious', costs: [LOOK] }]);
});
