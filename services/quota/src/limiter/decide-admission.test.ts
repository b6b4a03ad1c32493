import { describe, expect, it } from 'vitest';
import { PEEK, ONE_REQUEST, REVISION, UNLIMITED } from '../../tests/support/calls.ts';
import { AdmissionQueue } from './admission-queue.ts';
import { Breaker } from './breaker.ts';
import { InvalidAdmissionError, decideAdmission, peekAdmission } from './decide-admission.ts';
import type { StoreCall } from './limit-store.ts';

function openLimiter() {
  const sent: StoreCall[] = [];
  const queue = new AdmissionQueue({
    store: {
      canSend: true,
      decide: (calls) => {
        sent.push(...calls);
        return calls.map(() => Promise.resolve([]));
      },
    },
    deadlineMs: 1_000,
    clock: () => performance.now(),
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
  it('for a caller that has disconnected', async () => {
    using limiter = openLimiter();
    await limiter.reachStore();
    await Promise.all([limiter.admit('gone', { gone: true }), limiter.admit('there')]);
    expect(limiter.sentFor()).toStrictEqual(['there']);
  });

  it('for an organization whose server does not answer', async () => {
    using limiter = openLimiter();
    expect(await limiter.admit('early')).toStrictEqual({ outcome: 'unavailable' });
    await limiter.admit('elsewhere');
    await limiter.reachStore();
    await limiter.admit('there');
    expect(limiter.sentFor()).toStrictEqual(['elsewhere', 'there']);
  });

  it('for an invalid admission', async () => {
    using limiter = openLimiter();
    await limiter.reachStore();
    await expect(limiter.admit('')).rejects.toThrow(InvalidAdmissionError);
    expect(limiter.sentFor()).toStrictEqual([]);
  });
});

it('a peek costs nothing, even if it names a cost', async () => {
  using limiter = openLimiter();
  await limiter.reachStore();
  await limiter.peek('curious');
  expect(limiter.sent).toMatchObject([{ organization: 'curious', costs: [PEEK] }]);
});
