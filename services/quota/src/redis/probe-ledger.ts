import { randomUUID } from 'node:crypto';
import type { Ledger } from '../domain/ledger.ts';

/**
 * Resolves when the store decides again. Asks for nothing under a revision that is never newer, so it
 * writes nothing, loads the script where it is missing, and meets another node of a cluster each time.
 */
export async function probeLedger(ledger: Ledger, deadlineMs: number): Promise<void> {
  const [answer] = ledger.decide([
    {
      organization: `probe-${randomUUID()}`,
      limits: {
        requests_per_minute: null,
        requests_per_day: null,
        tokens_per_minute: null,
        tokens_per_day: null,
      },
      revision: { epoch: 0, sequence: 0 },
      costs: [{ requests: 0, tokens: 0 }],
    },
  ]);
  const { promise: missed, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('the store did not answer')), deadlineMs);
  try {
    await Promise.race([answer, missed]);
  } finally {
    clearTimeout(timer);
  }
}
