import { expect, it } from 'vitest';
import { ONE_REQUEST, REVISION, UNLIMITED } from '../../tests/support/calls.ts';
import { AdmissionQueue } from '../domain/admission-queue.ts';
import { Breaker } from '../domain/breaker.ts';
import type { LedgerCall } from '../domain/ledger.ts';
import { quotaHandlers } from './quota-handlers.ts';

it('nothing is charged for a caller that has gone', async () => {
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
  using breaker = new Breaker({
    failuresToOpen: 1,
    probeIntervalMs: 1_000,
    probe: () => Promise.resolve(),
    onChange: () => reached.resolve(),
  });
  breaker.probe();
  await reached.promise;
  const { admit } = quotaHandlers(queue, breaker);
  const request = { limits: UNLIMITED, revision: REVISION, ...ONE_REQUEST };
  await Promise.all([
    admit({ organization: 'gone', ...request }, undefined, { gone: true }),
    admit({ organization: 'there', ...request }, undefined, { gone: false }),
  ]);
  expect(sent.map(({ organization }) => organization)).toStrictEqual(['there']);
});
